// conformance-client.mjs REVISION - the public conformance suite, client side: its servers are behind deft,
// over HTTP, and `driver.mjs` asks what each scenario wants asked. Scenarios about logging in are not played.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { assert, check, finish } from './lib/checks.mjs';
import { here, scratch } from './lib/commands.mjs';

const [revision] = process.argv.slice(2);
const suite = join(here, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const scenarios = {
  '2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  '2026-07-28': ['tools_call', 'request-metadata', 'http-standard-headers', 'http-custom-headers', 'http-invalid-tool-headers',
    'sep-2322-client-request-state', 'json-schema-ref-no-deref', 'json-schema-2020-12-preservation'],
}[revision];

for (const scenario of scenarios) {
  await check(scenario, async () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [suite, 'client', '--command', `${process.execPath} ${join(here, 'driver.mjs')}`,
      '--scenario', scenario, '--spec-version', revision, '-o', join(scratch, 'checks')], { encoding: 'utf8', maxBuffer: 1 << 28 });
    const said = stdout + stderr; // it tells everything on stderr
    console.log(said);
    assert.equal(status, 0);
    assert.match(said, /^Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings$/m);
  });
}
finish();
