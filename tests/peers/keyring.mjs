// keyring.mjs - logins in a file that is sealed with a key of a real keyring (GNOME Keyring, of our own): kept, used by
// gateways, renewed, made plain again.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { agree, startAuthority, startNotes } from './lib/authority.mjs';
import { assert, check, finish } from './lib/checks.mjs';
import { connect, textOf } from './lib/clients.mjs';
import { gateway, here, servers } from './lib/commands.mjs';
import { login } from './lib/login.mjs';

if (process.env.DEFT_TEST_KEYRING === undefined) {
  const { status } = spawnSync(join(here, '../keyring/run'), [process.execPath, ...process.argv.slice(1)], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

const authority = await startAuthority();
const notes = await startNotes(authority);
servers.notes = () => ({ type: 'http', url: notes.url });
const deft = gateway(['notes'], { toolSearch: { enabled: 'on', coreTools: [] } });
const run = (env, ...args) => new Promise((resolve) => {
  execFile(deft.command, [...args, '--config', deft.config], { env: { ...process.env, ...env } }, (error, stdout, stderr) => resolve(stdout + stderr));
});
const file = join(homedir(), '.local/state/deft/logins.json');
const text = () => readFileSync(file, 'utf8');
const agent = await connect('modern', deft);
const call = async () => textOf(await agent.call('tool_call', { tool_name: 'notes::read', tool_args: {} }));

await check('a login is sealed, and a gateway that runs takes it up', async () => {
  await login(deft, 'notes', { page: agree });
  assert.match(await call(), /^read by \S+$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(text(), /^\{"version":2,"sealedWith":"keyring","box":"[A-Za-z0-9+/]+=*"\}\n$/);
});
await check('a token that is renewed is sealed, too', async () => {
  const before = text();
  const used = notes.tokens.at(-1);
  const token = await authority.provider.AccessToken.find(used);
  await token.destroy();
  assert.match(await call(), /^read by/);
  assert.notEqual(notes.tokens.at(-1), used);
  assert.notEqual(text(), before);
  assert.match(text(), /"sealedWith":"keyring"/);
});
await check('another gateway opens it', async () => {
  assert.match(await run({}, 'call', 'notes::read', '--gateway', 'none'), /^read by/);
});
await check('without the keyring it is closed, and says so', async () => {
  const before = text();
  const said = await run({ DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '' }, 'call', 'notes::read', '--gateway', 'none');
  assert.match(said, /run 'deft login notes'|is sealed, and its key cannot be had/);
  assert.equal(text(), before);
});
await check('it is made plain again where that is wanted', async () => {
  process.env.DEFT_KEYRING = 'off';
  await login(deft, 'notes', { page: agree });
  assert.equal(JSON.parse(text()).version, 1);
  assert.ok(text().includes('"accessToken"'));
  assert.match(await call(), /^read by/);
  delete process.env.DEFT_KEYRING;
});
await check('and sealed by the next login', async () => {
  await login(deft, 'notes', { page: agree });
  assert.match(text(), /"sealedWith":"keyring"/);
  assert.match(await call(), /^read by/);
  assert.match(await run({}, 'logout', 'notes'), /logged out of 'notes'/);
  assert.match(text(), /"sealedWith":"keyring"/);
});
await agent.close();
finish();
