// remote.mjs KIND - deft in front of servers over HTTP, of every make there is: sessions and none, JSON
// and streams, HTTP+SSE, both eras, TypeScript and Python. They are restarted, gone and strict, too.
// Proves A2 through real peers.
import { execFile } from 'node:child_process';
import http from 'node:http';
import { assert, check, finish } from './lib/checks.mjs';
import { connect, textOf } from './lib/clients.mjs';
import { gateway, servers, startRemote } from './lib/commands.mjs';

const [kind] = process.argv.slice(2);
const SECRET = 's3cret-of-the-test';
const headers = { Authorization: `Bearer ${SECRET}` };

// What a server of one answer heard.
function tiny(answer) {
  const heard = [];
  return new Promise((resolve) => {
    const server = http.createServer((request, response) => {
      heard.push(request.headers);
      request.resume().on('end', () => answer(response));
    }).listen(0, '127.0.0.1', () => resolve({ heard, url: `http://127.0.0.1:${server.address().port}/mcp` }));
  });
}

const remotes = {};
for (const name of ['everythingHttp', 'everythingSse', 'legacyHttp', 'modernHttp', 'bothHttp', 'wordsHttp']) {
  remotes[name] = await startRemote(name);
}
const elsewhere = await tiny((response) => response.writeHead(200).end());
const moved = await tiny((response) => response.writeHead(307, { Location: elsewhere.url }).end());
const strict = await tiny((response) => response.writeHead(401,
  { 'WWW-Authenticate': 'Bearer resource_metadata="https://auth.example/x"' }).end(`no such token: ${SECRET}`));
servers.sseByHttp = () => ({ ...servers.everythingSse(), type: 'http' }); // it is found out
servers.moved = () => ({ type: 'http', url: moved.url, headers });
servers.strict = () => ({ type: 'http', url: strict.url });
servers.down = () => ({ type: 'http', url: 'http://127.0.0.1:1/mcp' });

const known = [...Object.keys(remotes), 'sseByHttp'];
const deft = gateway([...known, 'moved', 'strict', 'down'], { toolSearch: { enabled: 'on', coreTools: [] } });
// Not blocking: some of the servers are in this very process.
const run = (...args) => new Promise((resolve) => {
  execFile(deft.command, [...args, '--config', deft.config], (error, stdout, stderr) => resolve(stdout + stderr));
});
const primed = await run('servers', '--discover');
console.log(primed);
const client = await connect(kind, deft);
const call = async (tool_name, tool_args = {}, options = undefined) => textOf(await client.call('tool_call', { tool_name, tool_args }, options));

await check('each is known, in its own era', async () => {
  const { servers: list } = JSON.parse(await run('servers', '--json', '--gateway', 'none'));
  const eras = Object.fromEntries(list.map(({ name, era }) => [name, era]));
  assert.deepEqual(known.map((name) => eras[name]), ['legacy', 'legacy', 'legacy', 'modern', 'modern', eras.wordsHttp, 'legacy']);
  assert.notEqual(eras.wordsHttp, 'unknown');
});
await check('calls are answered', async () => {
  for (const name of ['everythingHttp', 'everythingSse', 'sseByHttp']) {
    assert.equal(await call(`${name}::echo`, { message: name }), `Echo: ${name}`);
  }
  for (const name of ['legacyHttp', 'modernHttp', 'bothHttp']) {
    assert.match(await call(`${name}::test_simple_text`), /simple text/);
  }
  assert.match(await call('wordsHttp::count_words', { text: 'one two three' }), /"words": ?3/);
});
await check('many at once', async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => call('everythingHttp::echo', { message: `${i}` })));
  assert.deepEqual(answers, answers.map((_, i) => `Echo: ${i}`));
});
await check('progress arrives', async () => {
  client.progress.length = 0;
  assert.equal(await call('wordsHttp::spell', { word: 'deft' }, { onprogress: () => {} }), 'd-e-f-t');
  assert.deepEqual(client.progress.map(({ progress }) => progress), [1, 2, 3, 4]);
});
await check('a stream that the server closes in mid-call is gone on with', async () => {
  assert.equal(await call('legacyHttp::test_reconnection'), 'Reconnection test completed successfully');
});
await check('a call that is cancelled is cancelled at the server', async () => {
  for (const name of ['legacyHttp', 'modernHttp']) {
    const controller = new AbortController();
    const answer = call(`${name}::test_until_cancelled`, {}, { signal: controller.signal }).then(() => 'answered', () => 'given up');
    await call(`${name}::test_simple_text`);
    controller.abort();
    assert.equal(await answer, 'given up');
    // Over HTTP a later message may overtake an earlier one.
    while (await call(`${name}::test_cancelled_count`) === '0');
  }
});
await check('a server that was restarted is found again', async () => {
  const { child, port } = remotes.legacyHttp;
  await new Promise((resolve) => { child.on('exit', resolve); child.kill('SIGKILL'); });
  remotes.legacyHttp = await startRemote('legacyHttp', port);
  assert.match(await call('legacyHttp::test_simple_text'), /does not know our session any more/);
  assert.match(await call('legacyHttp::test_simple_text'), /simple text/);
});
await check('a server that is gone says so', async () => {
  const { child } = remotes.modernHttp;
  await new Promise((resolve) => { child.on('exit', resolve); child.kill('SIGKILL'); });
  assert.match(await call('modernHttp::test_simple_text'), /could not be reached: the connection was refused/);
});
await check('what a server was told goes nowhere else, and shows nowhere', async () => {
  assert(moved.heard.some(({ authorization }) => authorization === headers.Authorization));
  assert.equal(elsewhere.heard.length, 0);
  assert.match(primed, /moved .*redirects to http:\/\/127\.0\.0\.1:\d+ while starting: set its url/);
  assert(!primed.includes(SECRET));
});
await check('a server that wants a login says so', async () => {
  assert.match(primed, /strict .*wants a login \(HTTP 401\)/);
  assert(strict.heard.every(({ authorization }) => authorization === undefined));
});

await client.close();
finish();
