// model.mjs - a model that plays one script, over HTTP on loopback, for real agents to talk to: it
// searches for a tool, calls what was found, and says `answer 42` when a result holds 42. It speaks
// the chat and the Responses API, streamed. What it does next is decided by what is in the request,
// never by a count, since agents also ask on the side (for a title, say).
import http from 'node:http';

export const QUERY = 'add two numbers';
const FOUND = 'everything::get-sum';
const ARGUMENTS = { a: 20, b: 22 };

const letters = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

// The tools of a request, whichever API it is: Codex puts those of a server into a namespace.
function toolsOf({ tools = [] }) {
  return tools.flatMap((tool) => (tool.type === 'namespace'
    ? tool.tools.map(({ name }) => ({ name, namespace: tool.name }))
    : [{ name: tool.function?.name ?? tool.name ?? tool.type }]));
}

// Texts that tools have answered, oldest first.
function resultsOf({ messages, input }) {
  const chat = (messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);
  const responses = (Array.isArray(input) ? input : []).filter(({ type }) => type === 'function_call_output').map(({ output }) => output);
  return [...chat, ...responses].map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
}

// What the model does: {call, with} or {say}.
function decide(body) {
  const tools = toolsOf(body);
  const results = resultsOf(body);
  const named = (end) => tools.find(({ name }) => letters(name).endsWith(letters(end)));
  const search = named('tool_search');
  if (search === undefined) {
    return { say: 'nothing to do' };
  } else if (results.length === 0) {
    return { step: 'search', call: search, with: { query: QUERY } };
  } else if (results.length === 1 && results[0].includes(FOUND)) {
    const native = named('get-sum');
    return native ? { step: 'native', call: native, with: ARGUMENTS }
      : { step: 'bridge', call: named('tool_call'), with: { tool_name: FOUND, tool_args: ARGUMENTS } };
  }
  return { step: 'end', say: /\b42\b/.test(results.at(-1)) ? 'answer 42' : `the last result was: ${results.at(-1)}` };
}

// --- The chat API. --------------------------------------------------------------------------------

function* chat({ model = 'scripted' }, next, id) {
  const chunk = (choices, rest) => ({ id: `chat-${id}`, object: 'chat.completion.chunk', created: 1, model, choices, ...rest });
  const delta = next.call
    ? { role: 'assistant', content: null, tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: { name: next.call.name, arguments: JSON.stringify(next.with) } }] }
    : { role: 'assistant', content: next.say };
  yield { data: chunk([{ index: 0, delta, finish_reason: null }]) };
  yield { data: chunk([{ index: 0, delta: {}, finish_reason: next.call ? 'tool_calls' : 'stop' }]) };
  yield { data: chunk([], { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }) };
  yield { data: '[DONE]' };
}

// --- The Responses API. ---------------------------------------------------------------------------

function* responses({ model = 'scripted' }, next, id) {
  let sequence = 0;
  const event = (type, rest) => ({ event: type, data: { type, sequence_number: sequence++, ...rest } });
  const response = (status, output) => ({ id: `resp_${id}`, object: 'response', created_at: 1, model, status, output,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } } });
  const place = { output_index: 0, item_id: `item_${id}` };
  const text = { type: 'output_text', text: next.say, annotations: [] };
  const item = next.call
    ? { type: 'function_call', id: `item_${id}`, call_id: `call_${id}`, ...next.call, arguments: JSON.stringify(next.with), status: 'completed' }
    : { type: 'message', id: `item_${id}`, role: 'assistant', status: 'completed', content: [text] };
  yield event('response.created', { response: response('in_progress', []) });
  yield event('response.output_item.added', { output_index: 0,
    item: next.call ? { ...item, arguments: '', status: 'in_progress' } : { ...item, content: [], status: 'in_progress' } });
  if (next.call) {
    yield event('response.function_call_arguments.delta', { ...place, delta: item.arguments });
    yield event('response.function_call_arguments.done', { ...place, arguments: item.arguments });
  } else {
    yield event('response.content_part.added', { ...place, content_index: 0, part: { ...text, text: '' } });
    yield event('response.output_text.delta', { ...place, content_index: 0, delta: next.say });
    yield event('response.output_text.done', { ...place, content_index: 0, text: next.say });
    yield event('response.content_part.done', { ...place, content_index: 0, part: text });
  }
  yield event('response.output_item.done', { output_index: 0, item });
  yield event('response.completed', { response: response('completed', [item]) });
}

// --- The server. ----------------------------------------------------------------------------------

// Starts it. `steps` are what the model did: search, native or bridge, end. `offered` are the names of
// the tools in the last request of each step.
export async function startModel() {
  const steps = [];
  const offered = {};
  let id = 0;
  const server = http.createServer(async (request, response) => {
    const api = request.url.endsWith('/chat/completions') ? chat : request.url.endsWith('/responses') ? responses : undefined;
    if (request.method === 'GET' && request.url.endsWith('/models')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[{"id":"scripted","object":"model"}]}');
      return;
    } else if (api === undefined) {
      response.writeHead(404).end();
      return;
    }
    const parts = [];
    for await (const part of request) {
      parts.push(part);
    }
    const body = JSON.parse(Buffer.concat(parts).toString('utf8'));
    const next = decide(body);
    if (next.step !== undefined) {
      steps.push(next.step);
      offered[next.step] = toolsOf(body).map(({ name }) => name);
    }
    console.log(`model: ${next.step ?? 'aside'} ${JSON.stringify(next.call ?? next.say)}`);
    id += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const { event, data } of api(body, next, id)) {
      response.write(`${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    }
    response.end();
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return { url: `http://127.0.0.1:${server.address().port}`, steps, offered };
}
