// inspector.mjs - the MCP Inspector's command line as a client, in both eras.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { assert, check, finish } from './lib/checks.mjs';
import { folder, gateway, here, prime } from './lib/commands.mjs';

const launcher = join(here, 'node_modules', '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');
const deft = gateway(['everything', 'calculator', 'modernFixture'], { toolSearch: { enabled: 'on' } });
prime(deft);

function inspect(era, ...flags) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, '--cli', '--protocol-era', era, ...flags,
    '--format', 'json', '--', deft.command, ...deft.args], {
    encoding: 'utf8', env: { ...process.env, HOME: folder('home'), MCP_INSPECTOR_SECRET_STORE: 'memory' },
  });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  return JSON.parse(stdout).result;
}

for (const era of ['legacy', 'auto', 'modern']) {
  await check(`${era}: tools are listed, and their schemas suit every model API`, async () => {
    const { tools } = inspect(era, '--method', 'tools/list', '--strict');
    assert.equal(tools[0].name, 'tool_search');
  });
  await check(`${era}: a search finds, and what was found is called`, async () => {
    const found = inspect(era, '--method', 'tools/call', '--tool-name', 'tool_search', '--tool-args-json', '{"query":"add two numbers"}');
    assert.match(JSON.stringify(found), /everything::get-sum/);
    const sum = inspect(era, '--method', 'tools/call', '--tool-name', 'tool_call',
      '--tool-args-json', '{"tool_name":"everything::get-sum","tool_args":{"a":20,"b":22}}');
    assert.match(JSON.stringify(sum), /\b42\b/);
  });
  await check(`${era}: prompts, resources and templates are listed, a prompt is given, a resource is read`, async () => {
    assert(inspect(era, '--method', 'prompts/list').prompts.some(({ name }) => name === 'tool-search'));
    assert(inspect(era, '--method', 'resources/list').resources.length > 0);
    assert(inspect(era, '--method', 'resources/templates/list').resourceTemplates.length > 0);
    assert.match(JSON.stringify(inspect(era, '--method', 'prompts/get', '--prompt-name', 'tool-search')), /active/i);
    assert.match(JSON.stringify(inspect(era, '--method', 'resources/read', '--uri', 'test://static-text')), /static text/);
  });
}
finish();
