// conformance.mjs REVISION ERA - the public conformance suite, server side, against deft over HTTP with
// the fixture behind it in one era. Every scenario that the revision requires must have run, and pass.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gateway, prime, scratch } from './lib/commands.mjs';
import { required, suite } from './lib/conformance.mjs';

const [revision, era] = process.argv.slice(2);
const deft = gateway({ fixture: `${era}Fixture` });

prime(deft);
const server = spawn(deft.command, [...deft.args, '--http', '127.0.0.1:0'], { stdio: ['ignore', 'inherit', 'pipe'] });
const port = await new Promise((resolve, reject) => {
  server.on('exit', (status) => reject(new Error(`deft ended with ${status}`)));
  createInterface({ input: server.stderr }).on('line', (line) => {
    console.log(line);
    const [, number] = /listening on port (\d+)/.exec(line) ?? [];
    if (number !== undefined) {
      resolve(number);
    }
  });
});
server.removeAllListeners('exit');

const { status, stdout } = spawnSync(process.execPath, [suite, 'server', '--url', `http://127.0.0.1:${port}/mcp/fixture`,
  '--requirements', revision, '-o', join(scratch, 'checks')], { encoding: 'utf8', maxBuffer: 1 << 28 });
console.log(stdout);

// Scenarios that are not scored (extensions, pending ones) are listed below the total.
const [scored, unscored = ''] = stdout.slice(stdout.indexOf('=== SUMMARY')).split('Not scored');
const left = new Set([...unscored.matchAll(/[✓✗] (\S+) \(/g)].map(([, name]) => name));
const results = [...scored.matchAll(/([✓✗]) (\S+):/g)].filter(([, , name]) => !left.has(name));
const failed = results.filter(([, sign]) => sign === '✗');
const wanted = required(revision, 'Server');
const missing = wanted.filter((one) => !results.some(([, , name]) => name === one));
console.log(`${wanted.length} scenarios are required; did not run: ${missing.join(' ') || 'none'}`);

await new Promise((resolve) => { server.on('exit', resolve); server.kill('SIGTERM'); });
console.log(`${results.length - failed.length} passed, ${failed.length} failed`);
process.exit(status === 0 && failed.length === 0 && wanted.length > 0 && missing.length === 0 ? 0 : 1);
