// gateway.mjs KIND [http] - one real client (v1, legacy, modern), deft, and eleven real servers behind it:
// everything that a client can do with them, through deft, over stdio or over HTTP.
// Proves B1, C1, C3, C4, D2, D4, D6 through real peers.
import { join } from 'node:path';
import { assert, check, finish } from './lib/checks.mjs';
import { connect, textOf } from './lib/clients.mjs';
import { folder, gateway, prime, serveHttp } from './lib/commands.mjs';

const [kind, transport] = process.argv.slice(2);
const reach = (made) => (transport === 'http' ? serveHttp(made) : made);
const files = folder('files');
const made = gateway(['everything', 'filesystem', 'memory', 'thinking', 'time', 'calculator', 'figma', 'clock', 'words',
  'legacyFixture', 'modernFixture'], { toolSearch: { enabled: 'on', coreTools: [] } });
prime(made);
const deft = await reach(made);
const client = await connect(kind, deft);

const search = (given) => client.call('tool_search', typeof given === 'string' ? { query: given } : given);
const bridge = (tool_name, tool_args, options) => client.call('tool_call', { tool_name, tool_args }, options);
const ids = (result) => result.structuredContent.tools.map(({ id }) => id);

// --- What the model sees, and searching. --------------------------------------------------------------

await check('three tools are listed, for reading where they only read', async () => {
  const tools = await client.tools();
  assert.deepEqual(tools.map(({ name }) => name), ['tool_search', 'tool_describe', 'tool_call']);
  assert.deepEqual(tools.map(({ annotations }) => annotations?.readOnlyHint ?? false), [true, true, false]);
  assert(tools.every(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true));
});
await check('the search tool says what there is to find', async () => {
  const [{ description }] = await client.tools();
  assert.match(description, /calculator/);
  assert.match(description, /words/);
});
await check('a search finds what adds two numbers', async () => {
  const result = await search('add two numbers');
  assert(!result.isError);
  assert(ids(result).includes('everything::get-sum'), textOf(result));
  assert(ids(result).includes('calculator::add'), textOf(result));
  assert.match(textOf(result), /everything::get-sum/);
});
await check('a tool is found by its exact id', async () => {
  assert.deepEqual(ids(await search({ tool_id: 'words::count_words' })), ['words::count_words']);
});
await check('no more are found than were asked for', async () => {
  assert.equal(ids(await search({ query: 'time', max_results: 2 })).length, 2);
});
await check('a search for nothing and for two things at once is an error to act on', async () => {
  for (const given of [{}, { query: 'add', tool_id: 'calculator::add' }]) {
    const result = await search(given);
    assert(result.isError);
    assert.match(textOf(result), /query/);
  }
});
await check('a search that finds nothing says what there is', async () => {
  const result = await search('zzyzx qwertzuiop');
  assert.match(textOf(result), /calculator/);
});
await check('a definition is described as the server gave it', async () => {
  const result = await client.call('tool_describe', { tool_name: 'everything::get-sum', form: 'mcp' });
  assert.match(textOf(result), /"inputSchema"/);
  assert.match(textOf(result), /First number/);
});

// --- Calling. -------------------------------------------------------------------------------------------

await check('a tool that was found is called', async () => {
  assert.match(textOf(await bridge('everything::get-sum', { a: 20, b: 22 })), /\b42\b/);
});
await check('a tool is called by its exact name though it is not listed', async () => {
  assert.match(textOf(await client.call('everything__get-sum', { a: 1, b: 2 })), /\b3\b/);
});
await check('arguments may be JSON in a string', async () => {
  assert.match(textOf(await bridge('everything::get-sum', '{"a": 20, "b": 22}')), /\b42\b/);
});
await check('a name that nearly fits is answered with those that do', async () => {
  const result = await bridge('everything::get-summ', { a: 1, b: 2 });
  assert(result.isError);
  assert.match(textOf(result), /get-sum/);
});
await check('arguments that do not fit are answered with what does', async () => {
  const result = await bridge('everything::get-sum', { a: 'one', b: 2 });
  assert(result.isError);
  assert.match(textOf(result), /number/);
});
await check("a tool's own error is its answer", async () => {
  const result = await bridge('modernFixture::test_error_handling', {});
  assert(result.isError);
  assert.match(textOf(result), /intentionally/);
});

const calls = {
  'filesystem::write_file': [{ path: join(files, 'a.txt'), content: 'hello' }, /wrote/i],
  'filesystem::read_text_file': [{ path: join(files, 'a.txt') }, /hello/],
  'memory::create_entities': [{ entities: [{ name: 'deft', entityType: 'program', observations: ['it searches'] }] }, /deft/],
  'memory::search_nodes': [{ query: 'searches' }, /deft/],
  'thinking::sequentialthinking': [{ thought: 'so', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }, /thoughtNumber/],
  'time::days_in_month': [{ date: '2026-02-01' }, /28/],
  'calculator::add': [{ a: 20, b: 22 }, /42/],
  'figma::get_document_info': [{}, /figma/i],
  'clock::convert_time': [{ source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' }, /21:00/],
  'words::count_words': [{ text: 'one two three' }, /3/],
  'legacyFixture::test_simple_text': [{}, /simple text/],
  'modernFixture::test_simple_text': [{}, /simple text/],
};
for (const [tool, [given, expected]] of Object.entries(calls)) {
  await check(`${tool} answers`, async () => { assert.match(textOf(await bridge(tool, given)), expected); });
}
await check('an image and structured content come through the bridge', async () => {
  const image = await bridge('everything::get-tiny-image', {});
  assert(image.content.some(({ type }) => type === 'image'));
  const weather = await bridge('everything::get-structured-content', { location: 'Chicago' });
  assert.equal(typeof weather.structuredContent.temperature, 'number');
});
await check('a hundred calls at once are answered, each with its own answer', async () => {
  const sums = await Promise.all(Array.from({ length: 100 }, (_, i) => bridge('everything::get-sum', { a: i, b: 1000 })));
  sums.forEach((result, i) => assert.match(textOf(result), new RegExp(`\\b${i + 1000}\\b`)));
});

// --- On the way. ----------------------------------------------------------------------------------------

await check('progress of a call through the bridge arrives', async () => {
  client.progress.length = 0;
  await bridge('everything::trigger-long-running-operation', { duration: 0.02, steps: 2 }, { onprogress: () => {} });
  assert.deepEqual(client.progress.map(({ progress, total }) => [progress, total]), [[1, 2], [2, 2]]);
});
await check('a cancelled call ends, and the server answers the next one', async () => {
  for (const server of ['legacyFixture', 'modernFixture']) {
    const controller = new AbortController();
    const call = bridge(`${server}::test_until_cancelled`, {}, { signal: controller.signal });
    await bridge(`${server}::test_simple_text`, {});
    controller.abort();
    await assert.rejects(call);
    assert.equal(textOf(await bridge(`${server}::test_cancelled_count`, {})), '1');
  }
});
await check('log messages of a call arrive at the level asked for', async () => {
  for (const server of ['legacyFixture', 'modernFixture']) {
    await client.log('info');
    await bridge(`${server}::test_tool_with_logging`, {});
    for (let i = 0; i < 3; i++) {
      const { params } = await client.notices.take(({ method, params: { logger } = {} }) => method === 'notifications/message' && logger.startsWith(server));
      assert.equal(params.level, 'info');
    }
  }
});

// --- What servers ask. -----------------------------------------------------------------------------------

await check("a server's question to the model reaches the client", async () => {
  assert.match(textOf(await bridge('everything::trigger-sampling-request', { prompt: 'x', maxTokens: 10 })), /forty-two/);
  assert.match(textOf(await bridge('modernFixture::test_sampling', { prompt: 'x' })), /forty-two/);
});
await check("a server's question to the user reaches the client", async () => {
  assert.match(textOf(await bridge('everything::trigger-elicitation-request', {})), /accept|provided/i);
  assert.match(textOf(await bridge('modernFixture::test_elicitation', { message: 'x' })), /someone/);
});
await check("a server's question for roots reaches the client", async () => {
  assert.match(textOf(await bridge('modernFixture::test_input_required_result_list_roots', {})), /peers\/root/);
});
await check('a client that can answer nothing gets an answer all the same', async () => {
  const plain = await connect(kind, deft, { capabilities: {} });
  for (const tool of ['legacyFixture::test_sampling', 'modernFixture::test_sampling']) {
    const outcome = await plain.call('tool_call', { tool_name: tool, tool_args: { prompt: 'x' } }).then((result) => result.isError, () => true);
    assert(outcome, tool);
  }
  await plain.close();
});

// --- Prompts, resources, completions. -----------------------------------------------------------------------

const promptText = ({ messages }) => messages.map(({ content }) => content.text).join('\n');

await check('prompts of all servers are listed, and ours', async () => {
  const names = (await client.prompts()).map(({ name }) => name);
  for (const name of ['tool-search', 'everything__simple-prompt', 'words__summarize', 'modernFixture__test_simple_prompt']) {
    assert(names.includes(name), `${name} in ${names}`);
  }
});
await check('a prompt of each kind of server is given', async () => {
  assert.match(promptText(await client.prompt('everything__args-prompt', { city: 'Paris' })), /Paris/);
  assert.match(promptText(await client.prompt('words__summarize', { text: 'this text' })), /this text/);
  assert.match(promptText(await client.prompt('modernFixture__test_simple_prompt')), /simple prompt/);
});
await check('the status is shown as a prompt', async () => {
  const text = promptText(await client.prompt('tool-search', { action: 'status' }));
  assert.match(text, /active/i);
  assert.match(text, /everything/);
});
await check('resources and templates of all servers are listed and read', async () => {
  const uris = (await client.resources()).map(({ uri }) => uri);
  const templates = (await client.templates()).map(({ uriTemplate }) => uriTemplate);
  assert(templates.some((uri) => uri.includes('demo://resource/dynamic/text/')), String(templates));
  assert(templates.some((uri) => uri.includes('words://greeting/')), String(templates));
  const document = uris.find((uri) => uri.startsWith('demo://resource/static/document/'));
  assert((await client.read(document)).contents[0].text.length > 0);
  assert.match((await client.read('demo://resource/dynamic/text/1')).contents[0].text, /Resource 1/);
  assert.equal((await client.read('words://greeting/deft')).contents[0].text, 'Good day, deft!');
});
await check('an argument of a prompt is completed', async () => {
  const { completion } = await client.complete({ type: 'ref/prompt', name: 'everything__completable-prompt' }, { name: 'department', value: 'E' });
  assert.deepEqual(completion.values, ['Engineering']);
});

// --- The list stays, or grows where the client asked for it. ---------------------------------------------------

await check('the list is the same after all this', async () => {
  assert.deepEqual((await client.tools()).map(({ name }) => name), ['tool_search', 'tool_describe', 'tool_call']);
});
await check('in style load what is found joins the list and is called by its name', async () => {
  const loading = await connect(kind, await reach(gateway(['everything', 'calculator'], { toolSearch: { enabled: 'on', style: 'load' } })));
  await loading.call('tool_search', { query: 'add two numbers' });
  if (client.era === 'modern') {
    assert.equal(JSON.stringify(await loading.tools()).includes('"everything__get-sum"'), false);
  } else {
    await loading.notices.take(({ method }) => method === 'notifications/tools/list_changed');
    assert((await loading.tools()).some(({ name }) => name === 'everything__get-sum'));
  }
  assert.match(textOf(await loading.call('everything__get-sum', { a: 20, b: 22 })), /\b42\b/);
  await loading.close();
});
await check('a reset forgets what was loaded', async () => {
  assert.match(promptText(await client.prompt('tool-search', { action: 'reset' })), /reset/i);
});

await client.close();
finish();
