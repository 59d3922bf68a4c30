// clients.mjs - the TypeScript SDK's clients behind one face, so that a scenario is written once and
// played by each: v1, v2 in the legacy era, v2 in the modern one.
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema, ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Arrivals } from './checks.mjs';

export const kinds = ['v1', 'legacy', 'modern'];
const MODERN = '2026-07-28';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

const schemas1 = {
  'sampling/createMessage': CreateMessageRequestSchema,
  'elicitation/create': ElicitRequestSchema,
  'roots/list': ListRootsRequestSchema,
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/tools/list_changed': ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': PromptListChangedNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
};

// What a person and a model behind the client would say. A scenario may give others.
export const user = {
  'sampling/createMessage': () => ({ role: 'assistant', model: 'scripted', content: { type: 'text', text: 'forty-two' }, stopReason: 'endTurn' }),
  'elicitation/create': ({ params }) => (params.mode === 'url' ? { action: 'accept' }
    : { action: 'accept', content: fill(params.requestedSchema) }),
  'roots/list': () => ({ roots: [{ uri: 'file:///peers/root', name: 'root' }] }),
};

// An answer to every required field of a form, and to those that say what they would have.
function fill(schema) {
  const values = { string: 'someone', integer: 7, number: 1.5, boolean: true };
  return Object.fromEntries(Object.entries(schema.properties)
    .filter(([name, field]) => field.default !== undefined || schema.required?.includes(name))
    .map(([name, field]) => [name, field.default ?? field.enum?.[0] ?? field.oneOf?.[0].const ?? values[field.type]]));
}

const everything = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
const noticed = Object.keys(schemas1).filter((name) => name.startsWith('notifications/'));

// Connects a client to a server ({command, args, env}, or {url, headers}). `asked` are the requests that the server made,
// `notices` what it told.
export async function connect(kind, server, { capabilities = everything, answers = user, name = 'peers' } = {}) {
  const info = { name, version: '1.0.0' };
  const is1 = kind === 'v1';
  const declared = kind === 'modern' ? { ...capabilities, ...capabilities.roots && { roots: {} } } : capabilities;
  const client = is1 ? new Client1(info, { capabilities: declared })
    : new Client2(info, { capabilities: declared, versionNegotiation: { mode: kind === 'modern' ? { pin: MODERN } : 'legacy' } });
  const asked = new Arrivals();
  const notices = new Arrivals();
  for (const [method, answer] of Object.entries(answers)) {
    if (declared[method.split('/')[0]] !== undefined) {
      client.setRequestHandler(is1 ? schemas1[method] : method, async (request) => {
        asked.push(request);
        return answer(request);
      });
    }
  }
  for (const method of noticed) {
    client.setNotificationHandler(is1 ? schemas1[method] : method, (notice) => { notices.push(notice); });
  }
  const { command, args, env, url, headers } = server;
  const transport = url !== undefined ? new (is1 ? Http1 : Http2)(new URL(url), { requestInit: { headers } })
    : new (is1 ? Stdio1 : Stdio2)({ command, args, env: { ...process.env, ...env }, stderr: 'inherit' });
  await client.connect(transport);

  // The SDK drops progress that arrives in one read with the answer, so it is seen here.
  const progress = [];
  const { onmessage } = transport;
  transport.onmessage = (message, ...rest) => {
    if (message.method === 'notifications/progress') {
      progress.push(message.params);
    }
    onmessage(message, ...rest);
  };

  // Where a modern client wants log messages, it says so with each request.
  let logLevel;
  const params = (given) => (kind === 'modern' && logLevel ? { ...given, _meta: { ...given._meta, [LOG_LEVEL]: logLevel } } : given);
  return {
    kind,
    era: kind === 'modern' ? 'modern' : 'legacy',
    asked,
    notices,
    progress,
    pid: transport.pid,
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
    call: (tool, given, options) => {
      const request = params({ name: tool, arguments: given });
      return is1 ? client.callTool(request, undefined, options) : client.callTool(request, options);
    },
    tools: async () => (await client.listTools(undefined, { cacheMode: 'refresh' })).tools,
    prompts: async () => (await client.listPrompts(undefined, { cacheMode: 'refresh' })).prompts,
    prompt: (promptName, given) => client.getPrompt({ name: promptName, arguments: given }),
    resources: async () => (await client.listResources(undefined, { cacheMode: 'refresh' })).resources,
    templates: async () => (await client.listResourceTemplates(undefined, { cacheMode: 'refresh' })).resourceTemplates,
    read: (uri) => client.readResource({ uri }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    log: async (level) => {
      logLevel = level;
      if (kind !== 'modern') {
        await client.setLoggingLevel(level);
      }
    },
    ping: () => client.ping(),
    listen: (filter) => client.listen(filter),
    subscribe: (uri) => client.subscribeResource({ uri }),
    unsubscribe: (uri) => client.unsubscribeResource({ uri }),
    close: () => client.close(),
  };
}

export const textOf = (result) => result.content.filter(({ type }) => type === 'text').map(({ text }) => text).join('\n');
