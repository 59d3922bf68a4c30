// commands.mjs - how each peer is started, and how deft is: as the members of a configuration's
// mcpServers, which every client and deft itself understand.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const here = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(here, 'node_modules');
const python = join(here, '..', '..', 'build', 'peers', 'python', 'bin');
const node = (file, ...args) => ({ command: process.execPath, args: [file, ...args] });
const module = (path, ...args) => node(join(modules, path), ...args);
const reference = (name) => `@modelcontextprotocol/server-${name}/dist/index.js`;

// The scenario's own folder; `run` gives each its own, emptied before.
export const scratch = process.env.PEERS_SCRATCH ?? mkdtempSync('/tmp/peers-');

export function folder(name) {
  const path = join(scratch, name);
  mkdirSync(path, { recursive: true });
  return path;
}

export const servers = {
  everything: () => module(reference('everything')),
  filesystem: () => module(reference('filesystem'), folder('files')),
  memory: () => ({ ...module(reference('memory')), env: { MEMORY_FILE_PATH: join(folder('memory'), 'memory.jsonl') } }),
  thinking: () => module(reference('sequential-thinking')),
  // These two print text on stdout before their first answer.
  time: () => module('time-mcp/dist/index.js'),
  calculator: () => module('@wrtnlabs/calculator-mcp/bin/index.js'),
  // Goes on when its input ends: it must be stopped by a signal.
  figma: () => module('cursor-talk-to-figma-mcp/dist/server.js'),
  // Both written with the Python SDK; the first one is published, the second one is ours.
  clock: () => ({ command: join(python, 'mcp-server-time'), args: ['--local-timezone', 'UTC'] }),
  words: () => ({ command: join(python, 'python3'), args: [join(here, 'words.py')] }),
  // Ours on the TypeScript SDK v2, in the era that the client chooses or in one only.
  fixture: () => node(join(here, 'fixture.mjs')),
  // Ours on the TypeScript SDK v1: 10,000 tools.
  many: () => node(join(here, 'many.mjs')),
  legacyFixture: () => node(join(here, 'fixture.mjs'), '--legacy'),
  modernFixture: () => node(join(here, 'fixture.mjs'), '--modern'),
};

// Servers over HTTP: what is started at a port, how it says that it is ready, and where it then is.
const at = (path) => (port) => ({ type: 'http', url: `http://127.0.0.1:${port}${path}` });
const remotes = {
  everythingHttp: (port) => [module(reference('everything'), 'streamableHttp'), { PORT: port }, /listening on port (\d+)/, at('/mcp')],
  everythingSse: (port) => [module(reference('everything'), 'sse'), { PORT: port }, /running on port (\d+)/,
    (own) => ({ type: 'sse', url: `http://127.0.0.1:${own}/sse` })],
  legacyHttp: (port) => [node(join(here, 'fixture.mjs'), '--http', port, '--legacy'), {}, /listening on port (\d+)/, at('/')],
  modernHttp: (port) => [node(join(here, 'fixture.mjs'), '--http', port, '--modern'), {}, /listening on port (\d+)/, at('/')],
  bothHttp: (port) => [node(join(here, 'fixture.mjs'), '--http', port), {}, /listening on port (\d+)/, at('/')],
  wordsHttp: (port) => [{ command: join(python, 'python3'), args: [join(here, 'words.py'), port] }, {},
    /running on http:\/\/127.0.0.1:(\d+)/, at('/mcp')],
};

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// Starts one; it is `servers[name]` from then on, and ends with us. `child` is its process.
export async function startRemote(name, port = undefined) {
  const [{ command, args }, env, ready, configure] = remotes[name](String(port ?? await freePort()));
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  process.on('exit', () => child.kill('SIGKILL'));
  const listening = await new Promise((resolve, reject) => {
    child.on('exit', (status) => reject(new Error(`${name} ended with ${status}`)));
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        console.log(`${name}: ${line}`);
        const [, number] = ready.exec(line) ?? [];
        if (number !== undefined) {
          resolve(number);
        }
      });
    }
  });
  child.removeAllListeners('exit');
  const entry = configure(listening);
  servers[name] = () => entry;
  return { child, port: Number(listening) };
}

// deft in front of the servers named, as one server. `settings` are members of the configuration,
// `more` are members of single servers in it. PEERS_DEFT is the program. A name may stand for another's
// server: {plain: 'fixture'}.
export function gateway(names, settings = {}, more = {}) {
  const wanted = Array.isArray(names) ? Object.fromEntries(names.map((name) => [name, name])) : names;
  const mcpServers = Object.fromEntries(Object.entries(wanted)
    .map(([name, server]) => [name, { ...servers[server](), ...more[name] }]));
  const file = join(mkdtempSync(join(scratch, 'deft-')), 'deft.json');
  writeFileSync(file, JSON.stringify({ ...settings, mcpServers }, null, 2));
  return { command: process.env.PEERS_DEFT, args: ['serve', '--config', file], config: file };
}

// Lets deft learn what the servers have before a client comes, as it has on any but its first start.
export function prime(deft) {
  const { status } = spawnSync(deft.command, ['servers', '--discover', '--config', deft.config], { stdio: 'inherit' });
  if (status !== 0) {
    throw new Error(`deft servers ended with ${status}`);
  }
}

// Serves it over HTTP; it ends with us. What a client connects to is given back.
export async function serveHttp(deft) {
  const child = spawn(deft.command, [...deft.args, '--http', '127.0.0.1:0'], { stdio: ['ignore', 'inherit', 'pipe'] });
  process.on('exit', () => child.kill('SIGTERM'));
  const port = await new Promise((resolve, reject) => {
    child.on('exit', (status) => reject(new Error(`deft ended with ${status}`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      console.log(line);
      const [, number] = /listening on port (\d+)/.exec(line) ?? [];
      if (number !== undefined) {
        resolve(number);
      }
    });
  });
  return { url: `http://127.0.0.1:${port}/mcp` };
}
