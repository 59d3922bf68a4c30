// stable.mjs - in the modern era nothing that a client does changes the list, to the byte. Public suites
// do not check this rule, so we do, on the wire and for every style. In style load of the legacy era the
// list grows at its end only. Proves B6.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { assert, check, finish } from './lib/checks.mjs';
import { gateway, prime } from './lib/commands.mjs';

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'peers', version: '1' } };

// A client that keeps lines as they came.
function open(deft, isModern) {
  const child = spawn(deft.command, deft.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let id = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(line);
    waiting.delete(message.id);
  });
  return {
    ask: (method, params = {}) => new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: isModern ? { ...params, _meta: META } : params })}\n`);
    }),
    tell: (method) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`),
    close: () => new Promise((resolve) => {
      child.on('close', resolve);
      child.stdin.end();
    }),
  };
}

// The answer without its id, which differs: {"jsonrpc":"2.0","id":N, ... always begins so.
const listed = async (client) => (await client.ask('tools/list')).replace(/"id":\d+/, '"id":0');
const search = (client) => client.ask('tools/call', { name: 'tool_search', arguments: { query: 'add two numbers' } });
const call = (client, name) => client.ask('tools/call', { name, arguments: { a: 20, b: 22 } });

for (const style of ['auto', 'bridge', 'load']) {
  await check(`a modern list stays the same to the byte in style ${style}`, async () => {
    const deft = gateway(['everything', 'calculator'], { toolSearch: { enabled: 'on', style } });
    prime(deft);
    const client = open(deft, true);
    const before = await listed(client);
    assert.match(before, /"tool_search"/);
    assert.match(await search(client), /everything::get-sum/);
    assert.equal(await listed(client), before);
    assert.match(await call(client, 'everything__get-sum'), /\b42\b/);
    assert.equal(await listed(client), before);
    await client.ask('prompts/get', { name: 'tool-search', arguments: { action: 'reset' } });
    assert.equal(await listed(client), before);
    assert.equal(await client.close(), 0);
  });
  await check(`a legacy list keeps its beginning to the byte in style ${style}`, async () => {
    const client = open(gateway(['everything', 'calculator'], { toolSearch: { enabled: 'on', style } }), false);
    await client.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'peers', version: '1' } });
    client.tell('notifications/initialized');
    const before = await listed(client);
    await search(client);
    const after = await listed(client);
    const end = before.lastIndexOf(']');
    assert.equal(after.slice(0, end), before.slice(0, end));
    assert.equal(after.includes('"everything__get-sum"'), style === 'load');
    assert.equal(await client.close(), 0);
  });
}
finish();
