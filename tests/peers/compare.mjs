// compare.mjs KIND UPSTREAM - whatever the fixture answers to a client, it answers through deft as
// well: the same questions are put to both, and each pair of answers must be equal but for prefixes of
// names. KIND is the client (v1, legacy, modern), UPSTREAM the fixture's era (legacy, modern): two by two
// they are the four cases of carrying questions from one era into the other. With `-http` behind the era
// deft speaks to the fixture over HTTP.
//
// PEERS_GATEWAY=COMMAND puts another server than deft to the test, for trying the questions themselves.
import { assert, check, finish } from './lib/checks.mjs';
import { connect, kinds, textOf } from './lib/clients.mjs';
import { gateway, prime, servers, startRemote } from './lib/commands.mjs';

const [kind, upstream] = process.argv.slice(2);
const behind = { legacy: 'legacyFixture', modern: 'modernFixture', 'legacy-http': 'legacyHttp', 'modern-http': 'modernHttp' }[upstream];
assert(kinds.includes(kind) && behind !== undefined, 'usage: compare.mjs KIND UPSTREAM');
if (behind.endsWith('Http')) {
  await startRemote(behind);
}

const through = process.env.PEERS_GATEWAY ? servers[process.env.PEERS_GATEWAY]()
  : gateway({ fixture: behind }, { toolSearch: { enabled: false } });
if (through.config !== undefined) {
  prime(through);
}
const sides = { fixture: await connect(kind, servers.fixture()), deft: await connect(kind, through) };

const ends = (list, name) => list.find((each) => each === name || each.endsWith(`__${name}`)) ?? name;

// The names under which the client sees the fixture's tools and prompts.
for (const side of Object.values(sides)) {
  const tools = (await side.tools()).map(({ name }) => name);
  const prompts = (await side.prompts()).map(({ name }) => name);
  side.tool = (name) => ends(tools, name);
  side.promptName = (name) => ends(prompts, name);
  side.do = (name, given, options) => side.call(side.tool(name), given, options);
}

const plain = (name) => name.replace(/^.*__/, '');
const ours = (name) => plain(name) === 'tool-search';

// What may differ: who says it, and prefixes.
function normal(value) {
  return JSON.parse(JSON.stringify(value, (key, member) => {
    if (key === '_meta' && member !== null && typeof member === 'object') {
      const rest = Object.fromEntries(Object.entries(member).filter(([name]) => name !== 'io.modelcontextprotocol/serverInfo'));
      return Object.keys(rest).length > 0 ? rest : undefined;
    }
    return member;
  }));
}

async function outcome(question, side) {
  try {
    return normal(await question(side));
  } catch (error) {
    if (error.code === undefined) {
      throw error;
    }
    return { code: error.code };
  }
}

function same(name, question) {
  return check(name, async () => {
    const expected = await outcome(question, sides.fixture);
    assert.deepEqual(await outcome(question, sides.deft), expected);
  });
}

const named = (list) => list.filter(({ name }) => !ours(name)).map((each) => ({ ...each, name: plain(each.name) }));

await same('tools are listed in order, byte for byte', async (side) => named(await side.tools()));
await same('prompts are listed', async (side) => named(await side.prompts()));
await same('resources are listed', (side) => side.resources());
await same('resource templates are listed', (side) => side.templates());

for (const tool of ['test_simple_text', 'test_image_content', 'test_audio_content', 'test_embedded_resource',
  'test_multiple_content_types', 'test_error_handling', 'test_streaming_elicitation', 'test_missing_capability',
  'test_elicitation_sep1034_defaults', 'test_elicitation_sep1330_enums']) {
  await same(`${tool} answers`, (side) => side.do(tool, {}));
}
await same('a tool is called without arguments', (side) => side.do('test_simple_text'));
await same('structured content comes through', (side) => side.do('test_structured', { city: 'Paris' }));
await same('arguments reach a tool with a schema of 2020-12', (side) => side.do('json_schema_2020_12_tool', { name: 'x', email: 'x@y.z' }));
await same('a question to the model comes back', (side) => side.do('test_sampling', { prompt: 'Meaning?' }));
await same('the model gets the question as it was asked', async (side) => (await side.asked.take(({ method }) => method === 'sampling/createMessage')).params.messages);
await same('a question to the user comes back', (side) => side.do('test_elicitation', { message: 'Who?' }));
await same('the user gets the form as it was made', async (side) => (await side.asked.take(({ params }) => params?.message === 'Who?')).params.requestedSchema);
for (const round of ['elicitation', 'sampling', 'list_roots', 'request_state', 'multiple_inputs', 'multi_round', 'capabilities']) {
  await same(`a tool that asks in rounds is answered: ${round}`, (side) => side.do(`test_input_required_result_${round}`, {}));
}

await same('progress arrives, in order', async (side) => {
  side.progress.length = 0;
  const result = await side.do('test_tool_with_progress', {}, { onprogress: () => {} });
  return { result, steps: side.progress.map(({ progress, total, message }) => ({ progress, total, message })) };
});
await same('log messages arrive', async (side) => {
  await side.log('info');
  await side.do('test_tool_with_logging', {});
  const lines = [];
  for (let i = 0; i < 3; i++) {
    lines.push((await side.notices.take(({ method }) => method === 'notifications/message')).params);
  }
  return lines.map(({ level, data }) => ({ level, data }));
});
await same('log messages below the level do not', async (side) => {
  await side.log('error');
  await side.do('test_tool_with_logging', {});
  return side.notices.waiting.filter(({ method }) => method === 'notifications/message');
});
await same('a cancelled call is cancelled at the server', async (side) => {
  const controller = new AbortController();
  const call = side.do('test_until_cancelled', {}, { signal: controller.signal }).then(() => 'answered', () => 'given up');
  // The call is at the server when a later one has been answered.
  await side.do('test_simple_text');
  controller.abort();
  const ending = await call;
  // Over HTTP the question may overtake the notice.
  let count;
  do {
    count = await side.do('test_cancelled_count', {});
  } while (textOf(count) === '0');
  return [ending, count];
});

await same('a prompt is given', (side) => side.prompt(side.promptName('test_simple_prompt')));
await same('a prompt takes arguments', (side) => side.prompt(side.promptName('test_prompt_with_arguments'), { arg1: 'a', arg2: 'b' }));
await same('a prompt has a resource', (side) => side.prompt(side.promptName('test_prompt_with_embedded_resource'), { resourceUri: 'test://x' }));
await same('a prompt has an image', (side) => side.prompt(side.promptName('test_prompt_with_image')));
await same('a prompt that asks first is answered', (side) => side.prompt(side.promptName('test_input_required_result_prompt')));
await same('an argument of a prompt is completed', (side) => side.complete({ type: 'ref/prompt', name: side.promptName('test_prompt_with_arguments') }, { name: 'arg1', value: 'par' }));
await same('a variable of a template is completed', (side) => side.complete({ type: 'ref/resource', uri: 'test://template/{id}/data' }, { name: 'id', value: '12' }));

for (const uri of ['test://static-text', 'test://static-binary', 'test://template/123/data']) {
  await same(`${uri} is read`, (side) => side.read(uri));
}
await same('what does not exist is not read', (side) => side.read('test://template/none/data'));
await same('what no server has is not read', (side) => side.read('test://nothing/at/all'));

const listens = kind === 'modern';
await same('a resource that changes is told of', async (side) => {
  const uri = 'test://watched-resource';
  const subscription = listens ? await side.listen({ resourceSubscriptions: [uri] }) : await side.subscribe(uri);
  await side.do('test_update_resource', {});
  const notice = await side.notices.take(({ method }) => method === 'notifications/resources/updated');
  await (listens ? subscription.close() : side.unsubscribe(uri));
  return notice.params.uri;
});
await same('a tool that appears is told of and listed', async (side) => {
  const subscription = listens ? await side.listen({ toolsListChanged: true }) : undefined;
  await side.do('test_trigger_tool_change', {});
  await side.notices.take(({ method }) => method === 'notifications/tools/list_changed');
  const tools = (await side.tools()).map(({ name }) => plain(name));
  await subscription?.close();
  return tools.at(-1);
});
await same('a prompt that appears is told of and listed', async (side) => {
  const subscription = listens ? await side.listen({ promptsListChanged: true }) : undefined;
  await side.do('test_trigger_prompt_change', {});
  await side.notices.take(({ method }) => method === 'notifications/prompts/list_changed');
  const prompts = (await side.prompts()).map(({ name }) => plain(name));
  await subscription?.close();
  return prompts.includes('test_dynamic_prompt');
});
if (kind !== 'modern') {
  await same('ping is answered', (side) => side.ping());
}

await Promise.all(Object.values(sides).map((side) => side.close()));
finish();
