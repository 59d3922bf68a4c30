// proxy-http.mjs URL - the same as proxy.mjs with HTTP on both sides: sessions of legacy clients in front,
// one server behind. bench/web holds deft against it.
import http from 'node:http';
import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { Server } from '@modelcontextprotocol/server';

const client = new Client({ name: 'proxy', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));

function makeServer() {
  const server = new Server({ name: 'proxy', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => client.listTools());
  server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
  return server;
}

const sessions = new Map();
const listener = http.createServer(async (request, response) => {
  let transport = sessions.get(request.headers['mcp-session-id']);
  if (transport === undefined) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true, // what is fastest
      onsessioninitialized: (session) => { sessions.set(session, transport); },
    });
    await makeServer().connect(transport);
  }
  await transport.handleRequest(request, response);
});
listener.listen(0, '127.0.0.1', () => { console.log(`listening on port ${listener.address().port}`); });
