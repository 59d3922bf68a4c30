// https.mjs KIND - an SDK client in front of deft over HTTPS, and deft itself in front of that: the
// certificates are of an authority that is made here, and one is renewed while clients are connected.
// Proves A2 through real peers.
import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { createInterface } from 'node:readline';
import tls from 'node:tls';
import { ca, certificate, issue, key, trustIssued } from './lib/certificates.mjs';
import { Arrivals, assert, check, finish } from './lib/checks.mjs';
import { connect, textOf } from './lib/clients.mjs';
import { gateway, prime, servers } from './lib/commands.mjs';

const [kind] = process.argv.slice(2);
trustIssued('first');

const behind = gateway(['everything'], { toolSearch: { enabled: 'on', coreTools: [] },
  http: { tls: { certificate, key } } });
prime(behind);
const deft = spawn(behind.command, [...behind.args, '--http', '127.0.0.1:0'], { stdio: ['ignore', 'inherit', 'pipe'] });
process.on('exit', () => deft.kill('SIGKILL'));
const notes = new Arrivals();
createInterface({ input: deft.stderr }).on('line', (line) => { console.log(line); notes.push(line); });
const [, port] = /port (\d+)/.exec(await notes.take((line) => line.includes('listening on')));
const url = `https://127.0.0.1:${port}/mcp`;

const echo = async (client, message) => textOf(await client.call('tool_call', { tool_name: 'everything::echo', tool_args: { message } }));
const shown = () => new Promise((resolve, reject) => {
  const socket = tls.connect({ host: '127.0.0.1', port }, () => {
    resolve(socket.getPeerCertificate().subject.CN);
    socket.end();
  }).on('error', reject);
});

const client = await connect(kind, { url });
await check('an SDK client calls over HTTPS', async () => {
  assert.equal(await echo(client, 'in private'), 'Echo: in private');
});
await check('many at once', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => echo(client, `${i}`)));
  assert.deepEqual(answers, answers.map((_, i) => `Echo: ${i}`));
});
await check('a long answer is whole', async () => {
  const message = 'x'.repeat(1 << 20);
  assert.equal(await echo(client, message), `Echo: ${message}`);
});
const steps = { tool_name: 'everything::trigger-long-running-operation', tool_args: { duration: 0.05, steps: 3 } };
await check('progress arrives', async () => {
  client.progress.length = 0;
  await client.call('tool_call', steps, { onprogress: () => {} });
  // An SDK may drop the last of three when it comes in one read with the answer: what deft sends is looked at below.
  assert([2, 3].includes(client.progress.length), `${client.progress.length} of 3`);
});
// The events of a modern call, as deft wrote them.
const events = () => new Promise((resolve, reject) => {
  const _meta = { progressToken: 'p', 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  https.request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json', accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'tool_call',
    },
  }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (more) => { text += more; })
      .on('end', () => resolve(text.split('\n').filter((line) => line.startsWith('data: ')).map((line) => JSON.parse(line.slice(6)))));
  }).on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tool_call', arguments: steps, _meta } }));
});
await check('all of it, in order and before the answer', async () => {
  for (const seen of await Promise.all(Array.from({ length: 20 }, events))) {
    assert.deepEqual(seen.map(({ params, result }) => params?.progress ?? textOf(result).slice(0, 32)), [1, 2, 3, 'Long running operation completed']);
  }
});
await check('plain HTTP is told what to do', async () => {
  const [status, text] = await new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path: '/healthz' }, (response) => {
      response.setEncoding('utf8').on('data', (body) => resolve([response.statusCode, body]));
    }).on('error', reject);
  });
  assert.equal(status, 400);
  assert.match(text, /use https/);
});

// deft in front of deft: the server's own authority, everybody's, none, and another name.
servers.own = () => ({ type: 'http', url: `${url}/everything`, ca: '${PEERS_CA}' });
servers.shared = () => ({ type: 'http', url });
servers.strange = () => ({ type: 'http', url });
servers.renamed = () => ({ type: 'http', url: url.replace('127.0.0.1', 'localhost'), ca });
const env = { PEERS_CA: ca };
const known = (front) => new Promise((resolve) => {
  execFile(front.command, ['servers', '--discover', '--config', front.config], { env: { ...process.env, ...env } },
    (error, stdout, stderr) => resolve(stdout + stderr));
});
await check('a server with an authority of its own is spoken to', async () => {
  const front = gateway(['own']);
  assert.match(await known(front), /own +known/);
  const second = await connect(kind, { ...front, env });
  assert.equal(textOf(await second.call('echo', { message: 'twice' })), 'Echo: twice');
  await second.close();
});
await check('one authority may be for all servers', async () => {
  assert.match(await known(gateway(['shared'], { gateway: { ca } })), /shared +known/);
});
await check('without it, or under another name, it is refused', async () => {
  const said = await known(gateway(['strange', 'renamed']));
  assert.match(said, /strange +failed .*cannot be trusted/);
  assert.match(said, /renamed +failed .*cannot be trusted/);
});

await check('a renewed certificate is shown, and who is connected stays so', async () => {
  assert.equal(await shown(), 'first');
  issue('second');
  await notes.take((line) => line.includes('is new, and new connections get it'));
  assert.equal(await shown(), 'second');
  assert.equal(await echo(client, 'still here'), 'Echo: still here');
});
await check('a broken one is told, and the old one stays', async () => {
  writeFileSync(certificate, 'nothing');
  await notes.take((line) => line.includes('cannot be used; the old one stays'));
  assert.equal(await shown(), 'second');
  assert.equal(await echo(client, 'and still'), 'Echo: and still');
});
await client.close();
deft.kill('SIGTERM');
finish();
