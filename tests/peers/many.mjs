// many.mjs [COUNT] - a server with very many tools, on the TypeScript SDK.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const count = Number(process.argv[2] ?? 10000);
const things = ['lamp', 'garden', 'bicycle', 'violin', 'bread', 'river', 'window', 'ladder', 'kettle', 'carpet'];
const inputSchema = { type: 'object', properties: { colour: { type: 'string', description: 'What colour it gets' } } };
const tools = Array.from({ length: count }, (_, i) => ({
  name: `paint_${things[i % things.length]}_${i}`,
  description: `Paints ${things[i % things.length]} number ${i} in the colour that is asked for.`,
  inputSchema,
}));

const server = new Server({ name: 'many', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({ content: [{ type: 'text', text: `${params.name} is ${params.arguments.colour}` }] }));
await server.connect(new StdioServerTransport());
