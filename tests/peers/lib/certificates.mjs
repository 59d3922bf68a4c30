// certificates.mjs - an authority that is made for a scenario, and certificates that it signs.
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from './checks.mjs';
import { folder } from './commands.mjs';

const files = folder('tls');
export const ca = join(files, 'ca.pem');
export const certificate = join(files, 'cert.pem');
export const key = join(files, 'key.pem');
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

function openssl(...args) {
  const { status, stderr } = spawnSync('openssl', args, { cwd: files, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

export function issue(subject, name = 'IP:127.0.0.1') {
  writeFileSync(join(files, 'names'), `subjectAltName=${name}`);
  openssl('req', ...curve, '-subj', `/CN=${subject}`, '-keyout', key, '-out', 'request.pem');
  openssl('x509', '-req', '-in', 'request.pem', '-CA', ca, '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2',
    '-extfile', 'names', '-out', certificate);
  chmodSync(key, 0o600);
}

// Node reads whom to trust when it starts: makes the authority and the first certificate, and starts the scenario again.
export function trustIssued(subject, name) {
  if (process.env.NODE_EXTRA_CA_CERTS === undefined) {
    openssl('req', '-x509', ...curve, '-days', '2', '-subj', '/CN=peers', '-keyout', 'ca.key', '-out', ca);
    issue(subject, name);
    const { status } = spawnSync(process.execPath, process.argv.slice(1),
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: ca }, stdio: 'inherit' });
    process.exit(status ?? 1);
  }
}
