// The public conformance suite, and what it says that a revision requires.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { here } from './commands.mjs';

export const suite = join(here, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

// The names of its scenarios for a 'Server' or a 'Client'; none where it has no such list.
export function required(revision, side) {
  const { stdout } = spawnSync(process.execPath, [suite, 'list', '--requirements', revision], { encoding: 'utf8' });
  const [, part = ''] = stdout.split(`${side} scenarios`);
  return [...part.split('\n\n')[0].matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
}
