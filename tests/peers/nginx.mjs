// nginx.mjs KIND - deft behind nginx, which has the certificate: with the block of docs/web.md as it stands there, but for
// ports and files. SDK clients come by the public name; what they cannot show is asked in plain requests.
import { spawn, spawnSync } from 'node:child_process';
import dns from 'node:dns';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { connect as connectPort } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { certificate, key, trustIssued } from './lib/certificates.mjs';
import { assert, check, finish } from './lib/checks.mjs';
import { connect, textOf } from './lib/clients.mjs';
import { folder, freePort, gateway, here, prime } from './lib/commands.mjs';

const [kind] = process.argv.slice(2);
const name = 'deft.example.com';
trustIssued(name, `DNS:${name}`);

// The public name is this machine, for everybody in this process.
const { lookup } = dns;
dns.lookup = (host, options, then) => lookup(host === name ? '127.0.0.1' : host, options, then);

// --- deft, with a token. ---

const deft = gateway(['everything', 'fixture'], { toolSearch: { enabled: 'on', coreTools: [] } });
const made = spawnSync(deft.command, ['token', 'new', 'team', '--quiet', '--config', deft.config], { encoding: 'utf8' });
const authorization = `Bearer ${made.stdout.trim()}`;
prime(deft);
const serving = spawn(deft.command, [...deft.args, '--http', '127.0.0.1:0', '--host', name], { stdio: ['ignore', 'inherit', 'pipe'] });
process.on('exit', () => serving.kill('SIGKILL'));
const inner = await new Promise((resolve, reject) => {
  serving.on('exit', (status) => reject(new Error(`deft ended with ${status}`)));
  createInterface({ input: serving.stderr }).on('line', (line) => {
    console.log(line);
    const [, number] = /listening on port (\d+)/.exec(line) ?? [];
    if (number !== undefined) {
      resolve(number);
    }
  });
});

// --- nginx. ---

const outer = await freePort();
const [, documented] = /```nginx\n(.*?)```/s.exec(readFileSync(join(here, '../../docs/web.md'), 'utf8'));
const place = folder('nginx');
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${place}/${kind};`);
const replacements = [
  ['127.0.0.1:8080', `127.0.0.1:${inner}`], ['listen 443 ssl', `listen 127.0.0.1:${outer} ssl`],
  ['/etc/ssl/deft.example.com.pem', certificate], ['/etc/ssl/deft.example.com.key', key],
];
for (const [from] of replacements) {
  assert.ok(documented.includes(from), `docs/web.md has no ${from}`);
}
writeFileSync(join(place, 'nginx.conf'), `
daemon off;
master_process off;
pid ${place}/pid;
error_log stderr;
events {}
http {
access_log off;
${temporary.join('\n')}
${replacements.reduce((text, [from, to]) => text.replace(from, to), documented)}
}
`);
const program = existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : 'nginx';
const nginx = spawn(program, ['-p', place, '-c', join(place, 'nginx.conf')], { stdio: 'inherit' });
process.on('exit', () => nginx.kill('SIGKILL'));
nginx.on('exit', (status) => { throw new Error(`nginx ended with ${status}`); });
const isOpen = () => new Promise((resolve) => {
  const socket = connectPort(outer, '127.0.0.1', () => { socket.end(); resolve(true); }).on('error', () => resolve(false));
});
while (!await isOpen());

// --- Requests. ---

const origin = `https://${name}:${outer}`;
const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const callOf = (tool_name, tool_args = {}) => JSON.stringify({
  jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tool_call', arguments: { tool_name, tool_args }, _meta: modern },
});
// Sends a modern call, and gives the request and what comes of it.
function send(body, headers = {}) {
  const request = https.request(`${origin}/mcp`, {
    agent,
    servername: name,
    method: 'POST',
    headers: {
      authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'tool_call', ...headers,
    },
  });
  const answer = new Promise((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more) => { text += more; }).on('end', () => resolve({ status: response.statusCode, text }));
    });
  });
  request.end(body);
  return { request, answer };
}
const ask = (body, headers) => send(body, headers).answer;
async function metric(metricName) {
  const text = await (await fetch(`http://127.0.0.1:${inner}/metrics`, { headers: { authorization } })).text();
  return Number(new RegExp(`^${metricName} (\\d+)$`, 'm').exec(text)[1]);
}

await check('requests on one connection of a client share one to deft', async () => {
  for (let i = 0; i < 20; i++) {
    const { status, text } = await ask(callOf('everything::echo', { message: `${i}` }));
    assert.equal(status, 200, text);
    assert.match(text, new RegExp(`Echo: ${i}"`));
  }
  assert.equal(await metric('deft_http_connections'), 2); // nginx's, and ours for the metrics
});
await check('who may, is decided by what the client said', async () => {
  const refusals = [
    [{ host: 'evil.example' }, 403], [{ origin: 'https://evil.example' }, 403], [{ authorization: 'Bearer wrong' }, 401],
    [{ host: `${name}:${outer}` }, 200],
  ];
  for (const [headers, wanted] of refusals) {
    const { status, text } = await ask(callOf('everything::echo', { message: 'x' }), headers);
    assert.equal(status, wanted, `${JSON.stringify(headers)}: ${text}`);
  }
});
await check('large bodies go through whole, both ways', async () => {
  const message = 'x'.repeat(6 << 20);
  const { status, text } = await ask(callOf('everything::echo', { message }));
  assert.equal(status, 200);
  assert.ok(text.includes(`Echo: ${message}"`), text.slice(0, 200));
});
await check('a client that leaves cancels its call at the server', async () => {
  const count = async () => /"text":"(\d+)"/.exec((await ask(callOf('fixture::test_cancelled_count'))).text)[1];
  assert.equal(await count(), '0'); // and the server runs: a call that it was never sent needs no cancelling
  const { request, answer } = send(callOf('fixture::test_until_cancelled'));
  answer.catch(() => {});
  while (await metric('deft_http_open_requests') < 2); // the call, and the question itself
  request.destroy();
  while (await count() === '0');
});

// --- SDK clients. ---

const client = await connect(kind, { url: `${origin}/mcp`, headers: { authorization } });
const call = async (tool_name, tool_args = {}, options = undefined) => textOf(await client.call('tool_call', { tool_name, tool_args }, options));

await check('an SDK client calls through it', async () => {
  assert.equal(await call('everything::echo', { message: 'far' }), 'Echo: far');
});
await check('many at once', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => call('everything::echo', { message: `${i}` })));
  assert.deepEqual(answers, answers.map((_, i) => `Echo: ${i}`));
});
// The event must be here before the answer can be made: a proxy that gathers events would wait for ever.
await check('events are passed on at once', async () => {
  if (client.era === 'modern') {
    const subscription = await client.listen({ toolsListChanged: true });
    await call('fixture::test_trigger_tool_change');
    await client.notices.take(({ method }) => method === 'notifications/tools/list_changed');
    await subscription.close();
  } else {
    assert.match(await call('everything::trigger-sampling-request', { prompt: 'what?' }), /forty-two/);
  }
});
await check('a stream that nginx holds open is not in the way of others', async () => {
  assert.equal(await call('everything::echo', { message: 'still' }), 'Echo: still');
});
await client.close();
nginx.removeAllListeners('exit');
nginx.kill();
serving.removeAllListeners('exit');
serving.kill();
finish();
