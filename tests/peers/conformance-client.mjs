// conformance-client.mjs REVISION - the public conformance suite, client side: its servers are behind deft,
// over HTTP, and `driver.mjs` asks what each scenario wants asked. All that the revision requires, and those of the
// others that concern us: extensions (client credentials, DPoP, identity providers) are not.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { assert, check, finish } from './lib/checks.mjs';
import { here, scratch } from './lib/commands.mjs';
import { required, suite } from './lib/conformance.mjs';

const [revision, part] = process.argv.slice(2); // those about logins (auth/), or the others (core)
const logins = ['metadata-default', 'metadata-var1', 'metadata-var2', 'metadata-var3', 'basic-cimd', 'scope-from-www-authenticate',
  'scope-from-scopes-supported', 'scope-omitted-when-undefined', 'scope-step-up', 'scope-retry-limit', 'token-endpoint-auth-basic',
  'token-endpoint-auth-post', 'token-endpoint-auth-none', 'pre-registration'];
const newLogins = ['resource-mismatch', 'offline-access-scope', 'offline-access-not-supported', 'authorization-server-migration',
  'iss-supported', 'iss-not-advertised', 'iss-supported-missing', 'iss-wrong-issuer', 'iss-unexpected', 'iss-normalized',
  'metadata-issuer-mismatch'];
const auth = (names) => names.map((name) => `auth/${name}`);
const scenarios = {
  '2025-03-26': auth(['2025-03-26-oauth-metadata-backcompat', '2025-03-26-oauth-endpoint-fallback']),
  '2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry', ...auth(logins)],
  '2026-07-28': ['tools_call', 'request-metadata', 'http-standard-headers', 'http-custom-headers', 'http-invalid-tool-headers',
    'sep-2322-client-request-state', 'json-schema-ref-no-deref', 'json-schema-2020-12-preservation', ...auth(logins), ...auth(newLogins)],
}[revision];

if (revision !== '2025-03-26') { // for which the suite has no list
  await check(`nothing that ${revision} requires is left out`, () => {
    const wanted = required(revision, 'Client');
    console.log(`${wanted.length} scenarios are required`);
    assert.ok(wanted.length > 0);
    assert.deepEqual(wanted.filter((name) => !scenarios.includes(name)), []);
  });
}
for (const scenario of scenarios.filter((name) => name.startsWith('auth/') === (part === 'auth'))) {
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
