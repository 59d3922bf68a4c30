// login.mjs - deft logs in at a real authorization server (oidc-provider) and uses the real MCP server behind it: in a
// browser and by pasting, with rights that are too few, tokens that expire, refresh tokens that are good for one use.
import { execFile, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { agree, startAuthority, startNotes } from './lib/authority.mjs';
import { assert, check, finish } from './lib/checks.mjs';
import { connect, textOf } from './lib/clients.mjs';
import { gateway, servers } from './lib/commands.mjs';
import { login } from './lib/login.mjs';

const authority = await startAuthority();
const notes = await startNotes(authority);
servers.notes = () => ({ type: 'http', url: notes.url });
const deft = gateway(['notes'], { toolSearch: { enabled: 'on', coreTools: [] } });
const run = (...args) => new Promise((resolve) => {
  execFile(deft.command, [...args, '--config', deft.config], (error, stdout, stderr) => resolve(stdout + stderr));
});
const file = join(homedir(), '.local/state/deft/logins.json');
const kept = () => JSON.parse(readFileSync(file, 'utf8')).logins[0];
const count = (what) => authority.heard.filter((request) => request === what).length;
const clientOf = (agent) => async (tool_name) => textOf(await agent.call('tool_call', { tool_name, tool_args: {} }));

const agent = await connect('legacy', deft);
const call = clientOf(agent);

await check('a server that wants a login says what to run', async () => {
  assert.match(await call('notes::read'), /server 'notes' wants a login \(HTTP 401\): run 'deft login notes'/);
  assert.match(await run('servers', '--discover'), /unauthorized .* run 'deft login notes'/);
});
await check('a login with a browser; the gateway that runs takes it up', async () => {
  await login(deft, 'notes', { page: agree, flags: ['--scope', 'notes:read offline_access'] });
  assert.match(await call('notes::read'), /^read by \S+$/);
});
await check('what is kept is for its owner alone', async () => {
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(kept().issuer, authority.issuer);
  assert.equal(kept().resource, notes.url);
  assert.ok(kept().refreshToken.length > 20);
});
await check('a call that needs more rights says so, and others go on', async () => {
  assert.match(await call('notes::write'), /wants more rights than its login has \(scope notes:write\): run 'deft login notes'/);
  assert.match(await call('notes::read'), /^read by/);
});
await check('the next login asks for them, along with those from before, as the same client', async () => {
  const client = kept().clientId;
  const registrations = count('POST /reg');
  await login(deft, 'notes', { page: agree, isPasting: true });
  assert.equal(kept().clientId, client);
  assert.equal(count('POST /reg'), registrations);
  assert.deepEqual(kept().scope.split(' ').sort(), ['notes:read', 'notes:write', 'offline_access']);
  assert.match(await call('notes::write'), /^write by/);
});
await check('a token that the server does not know any more is renewed, once for many calls', async () => {
  const token = await authority.provider.AccessToken.find(kept().accessToken);
  await token.destroy();
  const before = count('POST /token');
  const answers = await Promise.all(Array.from({ length: 8 }, () => call('notes::read')));
  assert.ok(answers.every((answer) => answer.startsWith('read by')), answers.join('\n'));
  assert.equal(count('POST /token'), before + 1);
});
await check('several programs renew it without undoing one another', async () => {
  const token = await authority.provider.AccessToken.find(kept().accessToken);
  await token.destroy();
  const before = count('POST /token');
  const answers = await Promise.all([call('notes::read'), ...Array.from({ length: 3 }, () => run('call', 'notes::read', '--gateway', 'none'))]);
  assert.ok(answers.every((answer) => answer.startsWith('read by')), answers.join('\n'));
  assert.equal(count('POST /token'), before + 1);
});
await check('tokens stand in nothing that deft says', async () => {
  const said = (await Promise.all([run('servers', '--json'), run('status', '--json'), run('logs', '--calls', '--json'), run('settings')])).join('\n');
  const { accessToken, refreshToken } = kept();
  assert.ok(!said.includes(accessToken) && !said.includes(refreshToken));
});
await check('what an agent presents to deft goes to no server, and no token into what deft says', async () => {
  const { accessToken, refreshToken } = kept();
  const told = []; // all that it says while it works
  const child = spawn(deft.command, ['serve', '--verbose', '--http', '127.0.0.1:0', '--config', deft.config], { stdio: ['ignore', 'ignore', 'pipe'] });
  process.on('exit', () => child.kill());
  const port = await new Promise((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      console.log(line);
      told.push(line);
      const [, number] = /on port (\d+)/.exec(line) ?? [];
      if (number !== undefined) {
        resolve(number);
      }
    });
  });
  const ask = (body) => fetch(`http://127.0.0.1:${port}/mcp/notes`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer agents-own-token', 'x-key': 'agents-own-key', cookie: 'agents=own', 'content-type': 'application/json',
      accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'read',
    },
    body: JSON.stringify(body),
  });
  const answer = await (await ask({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'read',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'peers', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })).text();
  child.kill();
  assert.match(answer, /read by/);
  assert.equal(notes.tokens.at(-1), accessToken);
  assert.ok(!notes.everything.some((request) => /agents-own|agents=own/.test(request)));
  assert.ok(told.length > 0 && !told.some((line) => /agents-own|agents=own/.test(line)
    || line.includes(accessToken) || line.includes(refreshToken)));
});
const { AccessToken, RefreshToken } = authority.provider;
await check('after a logout there is none, here or at the authorization server', async () => {
  const { accessToken, refreshToken } = kept();
  assert.ok(await AccessToken.find(accessToken) !== undefined && await RefreshToken.find(refreshToken) !== undefined);
  assert.equal(await run('logout', 'notes'), "deft: logged out of 'notes'\n");
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).logins.length, 0);
  assert.equal(await AccessToken.find(accessToken), undefined);
  assert.equal(await RefreshToken.find(refreshToken), undefined);
  assert.match(await call('notes::read'), /run 'deft login notes'/);
});
await check('a logout without the authorization server says that it did not hear of it', async () => {
  await login(deft, 'notes', { page: agree });
  authority.close();
  assert.match(await run('logout', 'notes'), /not revoked, and stay good until they expire: http:\S+ could not be reached.*\n.*logged out of 'notes'\n$/);
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).logins.length, 0);
});
await agent.close();

// Tokens of two seconds: each is renewed before the server would refuse it.
const hasty = await startAuthority({ lifetime: 2 });
const quick = await startNotes(hasty);
servers.notes = () => ({ type: 'http', url: quick.url });
const second = gateway(['notes'], { toolSearch: { enabled: 'on', coreTools: [] } });
await check('tokens are renewed before they expire', async () => {
  await login(second, 'notes', { page: agree });
  const other = await connect('modern', second);
  while (new Set(quick.tokens).size < 3) {
    assert.match(await clientOf(other)('notes::read'), /^read by/);
  }
  await other.close();
});
finish();
