// proxy.mjs COMMAND... - a gateway as one would write it with the TypeScript SDK v2: a server that hands
// each call on to a client. bench_relay holds deft against it.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'proxy', version: '1' });
await client.connect(new StdioClientTransport({ command, args }));
const server = new Server({ name: 'proxy', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler('tools/list', () => client.listTools());
server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
server.onclose = () => client.close();
await server.connect(new StdioServerTransport());
