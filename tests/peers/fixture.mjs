// fixture.mjs - a server that shows everything a server can show, under the names that the public
// conformance suite asks for. Written once on the TypeScript SDK v2, it speaks both eras.
//
//   node fixture.mjs [--legacy | --modern] [--http PORT]
//
// Without a flag the client's first message decides the era. Over HTTP the port may be 0; which it is then
// is printed. --legacy has sessions there, and streams that can be gone on with. What a tool asks of its user travels as
// input_required in the modern era and as requests to the client in the legacy one; the SDK sees to it.
import { randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer, MissingRequiredClientCapabilityError, ResourceNotFoundError, ResourceTemplate,
  acceptedContent, completable, createMcpHandler, createRequestStateCodec, fromJsonSchema,
  inputRequired, inputResponse,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

const text = (value) => ({ type: 'text', text: value });
const says = (value) => ({ content: [text(value)] });
const embedded = (uri, value) => ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: value } });
const object = (properties, required = []) => ({ type: 'object', properties, required });
const string = { type: 'string' };

// One tick of the event loop: the suite wants messages apart from one another, not time.
const tick = () => new Promise((resolve) => { setImmediate(resolve); });

// --- Tools that answer at once. ------------------------------------------------------------------

function registerContent(server) {
  const tools = {
    test_simple_text: ['Answers with one text', () => says('This is a simple text response for testing.')],
    test_image_content: ['Answers with an image', () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] })],
    test_audio_content: ['Answers with a sound', () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] })],
    test_embedded_resource: ['Answers with a resource', () => ({ content: [embedded('test://embedded-resource', 'This is an embedded resource content.')] })],
    test_multiple_content_types: ['Answers with text, image and resource', () => ({
      content: [text('Multiple content types test:'), { type: 'image', data: PNG, mimeType: 'image/png' },
        embedded('test://mixed-content-resource', '{"test":"data","value":123}')],
    })],
    test_error_handling: ['Always fails', () => ({ ...says('This tool intentionally returns an error for testing'), isError: true })],
  };
  for (const [name, [description, answer]] of Object.entries(tools)) {
    server.registerTool(name, { description }, answer);
  }
  server.registerTool('test_structured', {
    description: 'Answers with structured content',
    inputSchema: z.object({ city: z.string() }),
    outputSchema: z.object({ city: z.string(), degrees: z.number() }),
    annotations: { readOnlyHint: true },
  }, ({ city }) => {
    const weather = { city, degrees: 21.5 };
    return { ...says(JSON.stringify(weather)), structuredContent: weather };
  });
  server.registerTool('json_schema_2020_12_tool', {
    description: 'Has a schema that must come through unaltered',
    inputSchema: fromJsonSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } } },
      properties: {
        name: string,
        address: { $ref: '#/$defs/address' },
        contactMethod: { enum: ['phone', 'email'] },
        phone: string,
        email: string,
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    }),
  }, (given) => says(`JSON Schema 2020-12 tool called with: ${JSON.stringify(given)}`));
}

// --- Tools that say something on the way. ---------------------------------------------------------

function registerTalk(server) {
  server.registerTool('test_tool_with_progress', { description: 'Reports progress' }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({ method: 'notifications/progress',
          params: { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` } });
      }
      await tick();
    }
    return says(progressToken === undefined ? 'without progress' : 'with progress');
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Writes log messages' }, async (ctx) => {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await ctx.mcpReq.log('info', line);
        await tick();
      }
      return says('Tool with logging executed successfully');
    });
  }
  server.registerTool('test_reconnection', { description: 'Closes its stream in mid-call' }, async (ctx) => {
    ctx.http?.closeSSE?.();
    await tick();
    return says('Reconnection test completed successfully');
  });
  // Waits for its own cancellation: the only way for a test to know that the notice has arrived.
  server.registerTool('test_until_cancelled', { description: 'Goes on until it is cancelled' }, async (ctx) => {
    await new Promise((resolve) => { ctx.mcpReq.signal.addEventListener('abort', resolve, { once: true }); });
    cancelled += 1;
    return says('cancelled');
  });
  server.registerTool('test_cancelled_count', { description: 'Says how many calls were cancelled' },
    () => says(String(cancelled)));
}
let cancelled = 0;

// --- Tools that change the lists. ------------------------------------------------------------------

// What is there now. Over modern HTTP a server is made for each request, and whoever listens is told by
// the handler: `told` is that one's notify.
const present = { tool: false, prompt: false };
let told;

function registerChanges(server) {
  const add = {
    tool: () => server.registerTool('test_dynamic_tool', { description: 'Comes and goes' }, () => says('here')),
    prompt: () => server.registerPrompt('test_dynamic_prompt', { description: 'Comes and goes' },
      () => ({ messages: [{ role: 'user', content: text('here') }] })),
  };
  const made = {};
  const change = (what) => {
    present[what] = !present[what];
    if (present[what]) {
      made[what] = add[what]();
    } else {
      made[what]?.remove();
    }
    told?.[`${what}sChanged`]();
    return says(present[what] ? 'added' : 'removed');
  };
  server.registerTool('test_trigger_tool_change', { description: 'Adds a tool, or takes it away again' }, () => change('tool'));
  server.registerTool('test_trigger_prompt_change', { description: 'Adds a prompt, or takes it away again' }, () => change('prompt'));
  server.registerTool('test_update_resource', { description: 'Says that the watched resource has changed' }, async () => {
    const uri = 'test://watched-resource';
    await (told === undefined ? server.server.sendResourceUpdated({ uri }) : told.resourceUpdated(uri));
    return says('updated');
  });
  return () => Object.keys(add).filter((what) => present[what]).forEach((what) => { made[what] = add[what](); });
}

// --- Tools that ask. --------------------------------------------------------------------------------

const elicit = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema });
const sample = (prompt) => inputRequired.createMessage({
  messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100,
});
const ask = (inputRequests, requestState) => inputRequired({ inputRequests, requestState });

// One question; `finish` makes the answer of what the user said, or asks again with undefined.
function registerQuestion(server, name, description, inputSchema, question, finish) {
  server.registerTool(name, { description, inputSchema }, (given, ctx) => {
    const view = inputResponse(ctx.mcpReq.inputResponses, 'answer');
    const result = view.kind === 'missing' ? undefined : finish(view);
    return result === undefined ? ask({ answer: question(given) }) : says(result);
  });
}

const described = (view) => `action=${view.action}, content=${JSON.stringify(view.content ?? {})}`;
const sampled = (view) => `LLM response: ${view.result?.content?.text ?? JSON.stringify(view.result?.content)}`;

function registerQuestions(server) {
  registerQuestion(server, 'test_sampling', 'Asks the model', z.object({ prompt: z.string() }),
    ({ prompt }) => sample(prompt), sampled);
  registerQuestion(server, 'test_elicitation', 'Asks the user', z.object({ message: z.string() }),
    ({ message }) => elicit(message, object({
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    }, ['username', 'email'])), (view) => `User response: ${described(view)}`);
  registerQuestion(server, 'test_elicitation_sep1034_defaults', 'Asks with defaults', z.object({}),
    () => elicit('Please review and update the form fields with defaults', object({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    })), (view) => `Elicitation completed: ${described(view)}`);
  const titled = [{ const: 'value1', title: 'First Option' }, { const: 'value2', title: 'Second Option' }];
  registerQuestion(server, 'test_elicitation_sep1330_enums', 'Asks with every kind of enum', z.object({}),
    () => elicit('Please select options from the enum fields', object({
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    })), (view) => `Elicitation completed: ${described(view)}`);
  server.registerTool('test_streaming_elicitation', { description: 'Reports progress, then asks' }, async (ctx) => {
    const answer = acceptedContent(ctx.mcpReq.inputResponses, 'confirm');
    const progressToken = ctx.mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
    }
    return answer === undefined
      ? ask({ confirm: elicit('Go on?', object({ ok: { type: 'boolean' } }, ['ok'])) })
      : says(`confirmed ${answer.ok}`);
  });
  server.registerTool('test_missing_capability', { description: 'Needs a client that can sample' }, () => says('the client can sample'));
}

// --- Tools that ask in rounds, with state that the client carries. -----------------------------------

const codec = createRequestStateCodec({ key: randomBytes(32) });
const nameForm = () => elicit('What is your name?', object({ name: string }, ['name']));
const okForm = (message) => elicit(message, object({ ok: { type: 'boolean' } }, ['ok']));
const capital = () => sample('What is the capital of France?');

function registerRounds(server) {
  const round = (name, description, answer) => server.registerTool(`test_input_required_result_${name}`, { description },
    (ctx) => answer((key) => inputResponse(ctx.mcpReq.inputResponses, key), ctx));

  round('elicitation', 'Asks for a name', (given) => {
    const { content } = given('user_name');
    return content?.name ? says(`Hello, ${content.name}!`) : ask({ user_name: nameForm() });
  });
  round('sampling', 'Asks the model for a capital', (given) => {
    const answer = given('capital_question');
    return answer.kind === 'sampling' ? says(sampled(answer)) : ask({ capital_question: capital() });
  });
  round('list_roots', 'Asks for roots', (given) => {
    const { roots } = given('client_roots');
    return roots ? says(`roots: ${roots.map((root) => root.uri).join(' ')}`) : ask({ client_roots: inputRequired.listRoots() });
  });
  for (const name of ['request_state', 'tampered_state']) {
    round(name, 'Asks with state that comes back', async (given, ctx) => {
      const { content } = given('confirm');
      const state = ctx.mcpReq.requestState();
      return content && state?.secret === 'kept' ? says('state-ok')
        : ask({ confirm: okForm('Please confirm') }, await codec.mint({ secret: 'kept' }, ctx));
    });
  }
  round('multiple_inputs', 'Asks three things at once', async (given, ctx) => {
    const [name, greeting, roots] = [given('user_name'), given('greeting'), given('client_roots')];
    return name.content && greeting.kind === 'sampling' && roots.roots
      ? says(`${name.content.name}, ${sampled(greeting)}, ${roots.roots.length} roots`)
      : ask({ user_name: nameForm(), greeting: sample('Say hello'), client_roots: inputRequired.listRoots() },
        await codec.mint({ round: 1 }, ctx));
  });
  round('multi_round', 'Asks twice, one after the other', async (given, ctx) => {
    const state = ctx.mcpReq.requestState();
    if (state?.step === 1 && given('step1').content) {
      return ask({ step2: okForm('Step 2') }, await codec.mint({ step: 2, first: given('step1').content }, ctx));
    }
    return state?.step === 2 && given('step2').content
      ? says(`both steps done: ${JSON.stringify([state.first, given('step2').content])}`)
      : ask({ step1: okForm('Step 1') }, await codec.mint({ step: 1 }, ctx));
  });
  round('capabilities', 'Asks only what the client can answer', (given, ctx) => {
    const declared = ctx.mcpReq.envelope?.[CAPABILITIES] ?? server.server.getClientCapabilities() ?? {};
    const questions = {
      ...declared.elicitation && { user_name: nameForm() },
      ...declared.sampling && { capital_question: capital() },
      ...declared.roots && { client_roots: inputRequired.listRoots() },
    };
    const open = Object.keys(questions).filter((key) => given(key).kind === 'missing');
    return open.length === 0 ? says(`answered: ${Object.keys(questions).join(' ')}`)
      : ask(Object.fromEntries(open.map((key) => [key, questions[key]])));
  });
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks for context first' }, (ctx) => {
    const content = acceptedContent(ctx.mcpReq.inputResponses, 'user_context');
    return content
      ? { messages: [{ role: 'user', content: text(`Context: ${content.context}`) }] }
      : ask({ user_context: elicit('What is it about?', object({ context: string }, ['context'])) });
  });
}

// --- Resources and prompts. ----------------------------------------------------------------------------

function registerResources(server) {
  const plain = { mimeType: 'text/plain' };
  server.registerResource('Static Text Resource', 'test://static-text', { description: 'A text', ...plain },
    (uri) => ({ contents: [{ uri: uri.href, ...plain, text: 'This is the content of the static text resource.' }] }));
  server.registerResource('Static Binary Resource', 'test://static-binary', { description: 'An image', mimeType: 'image/png' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'image/png', blob: PNG }] }));
  server.registerResource('Watched Resource', 'test://watched-resource', { description: 'Can be subscribed to', ...plain },
    (uri) => ({ contents: [{ uri: uri.href, ...plain, text: 'Watched resource content' }] }));
  const template = new ResourceTemplate('test://template/{id}/data', {
    list: undefined, complete: { id: (value) => ['123', '124', '200'].filter((id) => id.startsWith(value)) },
  });
  server.registerResource('Dynamic Resource Template', template, { description: 'One for each id', mimeType: 'application/json' },
    (uri, { id }) => {
      if (id === 'none') {
        throw new ResourceNotFoundError(uri.href);
      }
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }] };
    });
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function registerPrompts(server) {
  const user = (content) => ({ role: 'user', content });
  const argument = completable(z.string(), (value) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value)));
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' },
    () => ({ messages: [user(text('This is a simple prompt for testing.'))] }));
  server.registerPrompt('test_prompt_with_arguments', {
    description: 'A prompt with arguments', argsSchema: z.object({ arg1: argument, arg2: z.string() }),
  }, ({ arg1, arg2 }) => ({ messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] }));
  server.registerPrompt('test_prompt_with_embedded_resource', {
    description: 'A prompt with a resource', argsSchema: z.object({ resourceUri: z.string() }),
  }, ({ resourceUri }) => ({ messages: [user(embedded(resourceUri, 'Embedded resource content for testing.')),
    user(text('Please process the embedded resource above.'))] }));
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image' },
    () => ({ messages: [user({ type: 'image', data: PNG, mimeType: 'image/png' }), user(text('Please analyze the image above.'))] }));
}

// --- The server. ------------------------------------------------------------------------------------------

function makeServer() {
  const server = new McpServer({ name: 'fixture', version: '1.0.0' }, {
    capabilities: {
      completions: {}, logging: {}, prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true }, tools: { listChanged: true },
    },
    instructions: 'A fixture: every tool is for testing.',
    requestState: { verify: codec.verify },
  });
  const afterwards = [registerContent, registerTalk, registerChanges, registerQuestions, registerRounds,
    registerResources, registerPrompts].map((register) => register(server));
  afterwards.forEach((add) => add?.());
  refuseTheIncapable(server);
  return server;
}

// What a tool throws becomes its result; a refusal of the request itself has to come before the tool.
function refuseTheIncapable(server) {
  const handlers = server.server._requestHandlers;
  const call = handlers.get('tools/call');
  handlers.set('tools/call', (request, context) => {
    const declared = request.params?._meta?.[CAPABILITIES] ?? context?.mcpReq?.envelope?.[CAPABILITIES];
    if (request.params?.name === 'test_missing_capability' && declared !== undefined && declared.sampling === undefined) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    }
    return call(request, context);
  });
}

// --- Over HTTP. -------------------------------------------------------------------------------------------

// Events of all streams, for clients that come back for them.
const events = [];
const eventStore = {
  storeEvent: async (streamId, message) => `${streamId}_${events.push({ streamId, message })}`,
  getStreamIdForEventId: async (id) => id.slice(0, id.lastIndexOf('_')),
  replayEventsAfter: async (id, { send }) => {
    const streamId = id.slice(0, id.lastIndexOf('_'));
    for (let at = Number(id.slice(id.lastIndexOf('_') + 1)); at < events.length; at++) {
      // A priming event has no message.
      if (events[at].streamId === streamId && events[at].message?.jsonrpc !== undefined) {
        await send(`${streamId}_${at + 1}`, events[at].message);
      }
    }
    return streamId;
  },
};

// The legacy era as it is mostly served: a session for each client.
function legacySessions() {
  const sessions = new Map();
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (transport === undefined && id !== undefined) {
      response.writeHead(404).end();
      return;
    }
    if (transport === undefined) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID, eventStore, retryInterval: 20,
        onsessioninitialized: (session) => { sessions.set(session, transport); },
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  };
}

function modernHandler(legacy) {
  const handler = createMcpHandler(makeServer, { legacy });
  told = handler.notify;
  return toNodeHandler(handler);
}

const flags = process.argv.slice(2);
if (flags.includes('--http')) {
  const handle = flags.includes('--legacy') ? legacySessions() : modernHandler(flags.includes('--modern') ? 'reject' : 'stateless');
  const server = http.createServer((request, response) => { handle(request, response); });
  server.listen(Number(flags[flags.indexOf('--http') + 1]), '127.0.0.1',
    () => { console.log(`listening on port ${server.address().port}`); });
} else if (flags.includes('--legacy')) {
  await makeServer().connect(new StdioServerTransport());
} else {
  serveStdio(makeServer, { legacy: flags.includes('--modern') ? 'reject' : 'serve' });
}
