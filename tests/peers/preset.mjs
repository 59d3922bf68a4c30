// preset.mjs PRESET - plays a product's documentation through, from its own configuration: connect,
// measure, defer, search, load or bridge, call, status, reset. Each row below is taken from the
// document of that product; what is not said there is in docs/presets.md. Proves E6 through a real client.
import { assert, check, finish } from './lib/checks.mjs';
import { connect, textOf } from './lib/clients.mjs';
import { gateway, prime } from './lib/commands.mjs';

const filesystemCore = ['filesystem__get_file_info', 'filesystem__move_file', 'filesystem__read_file', 'filesystem__write_file'];

// `settings`: the file as the document shows it. `servers`: what it says of single servers. `off`: settings
// under which tools fit and are all visible. `listing`: what the model is told of deferred tools upfront.
const presets = {
  deft: {
    settings: { toolSearch: { enabled: 'auto', minPct: 0 } }, off: { toolSearch: { enabled: 'auto' } },
    search: 'tool_search', parameters: ['max_results', 'query', 'tool_id'], style: 'bridge', visible: filesystemCore,
    listing: /calculator::add: /, isFallbackListed: true,
  },
  pizzapi: {
    settings: { toolSearch: { enabled: true, tokenThreshold: 10000, maxResults: 5, keepLoadedTools: true } },
    off: { toolSearch: { enabled: true, tokenThreshold: 1000000 } },
    servers: { thinking: { deferLoading: false }, memory: { deferLoading: true } },
    search: 'search_tools', parameters: ['query'], style: 'load', visible: ['thinking__sequentialthinking'], isFallbackListed: true,
  },
  praisonai: {
    settings: { toolSearch: { enabled: 'auto', threshold_pct: 1, search_default_limit: 5, max_search_limit: 20 } },
    off: { toolSearch: { enabled: 'auto', threshold_pct: 15 } },
    search: 'tool_search', parameters: ['limit', 'query'], style: 'bridge', visible: filesystemCore,
  },
  'claude-sdk': {
    settings: {}, off: { env: { ENABLE_TOOL_SEARCH: 'auto' } },
    search: 'ToolSearch', parameters: ['max_results', 'query'], style: 'load', visible: [], listing: /calculator/,
  },
  'claude-code': {
    settings: {}, off: { env: { ENABLE_TOOL_SEARCH: 'auto' } }, servers: { thinking: { alwaysLoad: true } },
    search: 'ToolSearch', parameters: ['max_results', 'query'], style: 'load', visible: ['thinking__sequentialthinking'],
    listing: /calculator:\n {2}add, /,
  },
  kiro: {
    settings: { 'toolSearch.enabled': true, 'toolSearch.minPct': 0, 'toolSearch.minTokens': 0 },
    off: { 'toolSearch.enabled': true },
    search: 'tool_search', parameters: ['max_results', 'query', 'tool_id'], style: 'load', visible: [], listing: /calculator::add: /,
  },
};

const [name] = process.argv.slice(2);
const preset = presets[name];
const behind = ['everything', 'filesystem', 'memory', 'thinking', 'calculator'];
const made = (settings, rules) => gateway(behind, { preset: name, ...settings }, rules);
const names = async (client) => (await client.tools()).map((tool) => tool.name);
const promptText = ({ messages }) => messages.map(({ content }) => content.text).join('\n');

const deft = made(preset.settings, preset.servers);
prime(deft);
const client = await connect('legacy', deft);
const search = (given) => client.call(preset.search, given);
const before = await names(client);

await check('measured and deferred: what is pinned is visible, the rest is not', async () => {
  const bridge = preset.style === 'bridge' ? ['tool_call', 'tool_describe'] : [];
  const own = [preset.search, ...bridge];
  assert.deepEqual([...before].sort(), [...own, ...preset.visible].sort());
});
await check('the search tool has the parameters of the document and only reads', async () => {
  const tool = (await client.tools()).find((each) => each.name === preset.search);
  assert.deepEqual(Object.keys(tool.inputSchema.properties).sort(), preset.parameters);
  assert.equal(tool.annotations.readOnlyHint, true);
});
await check('what is deferred is told upfront as the document says', async () => {
  const tool = (await client.tools()).find((each) => each.name === preset.search);
  if (preset.listing) {
    assert.match(tool.description, preset.listing);
  } else {
    assert.doesNotMatch(tool.description, /calculator/);
  }
});
await check('a search finds, five at most', async () => {
  const result = await search({ query: 'sum of two numbers' });
  assert(!result.isError, textOf(result));
  const found = result.structuredContent.tools.map(({ id }) => id);
  assert(found.includes('everything::get-sum'), String(found));
  assert(found.length <= 5, String(found));
});
await check('a search that finds nothing says so, or lists what there is', async () => {
  const text = textOf(await search({ query: 'zzyzx' }));
  assert.equal(/memory/.test(text), preset.isFallbackListed === true, text);
});
if (preset.parameters.includes('tool_id')) {
  await check('a tool is found by its exact id; both at once is an error', async () => {
    assert.equal((await search({ tool_id: 'memory::read_graph' })).structuredContent.tools[0].id, 'memory::read_graph');
    assert((await search({ tool_id: 'memory::read_graph', query: 'graph' })).isError);
  });
}
if (preset.style === 'load') {
  await check('what was found joins the list, at its end, and is called', async () => {
    await client.notices.take(({ method }) => method === 'notifications/tools/list_changed');
    const after = await names(client);
    assert.deepEqual(after.slice(0, before.length), before);
    assert(after.includes('everything__get-sum'), String(after));
    assert.match(textOf(await client.call('everything__get-sum', { a: 20, b: 22 })), /\b42\b/);
  });
} else {
  await check('what was found is described as an OpenAI function and called', async () => {
    const described = textOf(await client.call('tool_describe', { tool_name: 'everything::get-sum' }));
    assert.match(described, /"parameters"/);
    const result = await client.call('tool_call', { tool_name: 'everything::get-sum', tool_args: { a: 20, b: 22 } });
    assert.match(textOf(result), /\b42\b/);
    assert.deepEqual(await names(client), before);
  });
}
await check('the status tells what is deferred and what was loaded', async () => {
  const text = promptText(await client.prompt('tool-search', { action: 'status' }));
  assert.match(text, /active/i);
  assert.match(text, /deferred/i);
  assert.match(text, /get-sum/);
});
await check('a reset forgets what was loaded', async () => {
  await client.prompt('tool-search', { action: 'reset' });
  assert.deepEqual(await names(client), before);
  assert.doesNotMatch(promptText(await client.prompt('tool-search', { action: 'status' })), /get-sum/);
});
await client.close();

await check('where everything fits, every tool is listed and search says so', async () => {
  const all = await connect('legacy', made(preset.off));
  const listed = await names(all);
  assert(listed.includes('everything__get-sum') && listed.includes('calculator__add'), String(listed));
  assert.match(textOf(await all.call(preset.search, { query: 'add' })), /already|not active|inactive/i);
  await all.close();
});
finish();
