// server.mjs - script/server as it is started: by nobody in particular, with its input closed, and by an agent at a pipe.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { assert, check, finish } from './lib/checks.mjs';
import { connect, textOf } from './lib/clients.mjs';
import { here } from './lib/commands.mjs';

const script = join(here, '../../script/server');
const env = { ...process.env, DEFT_PROGRAM: process.env.PEERS_DEFT };

// Runs it to its end; `redirection` says where its input comes from.
const run = (redirection) => new Promise((resolve) => {
  const child = spawn('bash', ['-c', `exec "$0" ${redirection}`, script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text) => { said += text; });
  }
  child.on('close', (status) => { console.log(said); resolve({ status, said }); });
});

for (const [how, redirection] of [['closed', '<&-'], ['empty', '</dev/null']]) {
  await check(`with its input ${how} it shows real servers at work`, async () => {
    const { status, said } = await run(redirection);
    assert.equal(status, 0);
    assert.match(said, /deft in front of four real MCP servers/);
    assert.match(said, /everything +known/);
    assert.match(said, /\$ deft search .*[^$]*files::write_file/);
    assert.match(said, /\$ deft call .*\n.*42/);
  });
}
for (const kind of ['v1', 'modern']) {
  await check(`at a pipe it serves: ${kind}`, async () => {
    const client = await connect(kind, { command: script, args: [], env });
    assert.deepEqual((await client.tools()).slice(0, 3).map(({ name }) => name), ['tool_search', 'tool_describe', 'tool_call']);
    assert.match(textOf(await client.call('tool_search', { query: 'add two numbers' })), /everything::get-sum/);
    assert.match(textOf(await client.call('tool_call', { tool_name: 'everything::get-sum', tool_args: { a: 19, b: 23 } })), /42/);
    await client.close();
  });
}
finish();
