// seed.mjs KIND - what deft must do that a client can see, one behaviour a check, each with a gateway of
// its own settings. What gateway.mjs, stable.mjs and preset.mjs play is not repeated.
// Proves A2, A3, A4, A5, A6, A7, A9, A11, B3, B5, C2, C6, C7, C8, C10, C11, D3 through real
// peers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, check, finish } from './lib/checks.mjs';
import { connect, textOf } from './lib/clients.mjs';
import { folder, gateway, prime } from './lib/commands.mjs';

const [kind] = process.argv.slice(2);
const behind = ['everything', 'calculator', 'thinking', 'filesystem'];
prime(gateway(behind));

// Runs with a client of a gateway that has these settings.
async function play(toolSearch, run, { settings = {}, rules = {}, args = [] } = {}) {
  const deft = gateway(behind, { toolSearch, ...settings }, rules);
  const client = await connect(kind, { ...deft, args: [...deft.args, ...args] });
  const search = (given) => client.call('tool_search', typeof given === 'string' ? { query: given } : given);
  try {
    await run({
      client,
      search,
      names: async () => (await client.tools()).map(({ name }) => name),
      found: async (given) => (await search(given)).structuredContent.tools.map(({ id }) => id),
      bridge: (tool_name, tool_args) => client.call('tool_call', { tool_name, tool_args }),
    });
  } finally {
    await client.close();
  }
}
const on = { enabled: 'on', coreTools: [] };

await check('A2, A9: below every threshold all tools are there, and no search tool', () =>
  play({ enabled: 'auto', minTokens: 1000000 }, async ({ names }) => {
    const listed = await names();
    assert(listed.includes('calculator__add') && listed.includes('everything__get-sum'), String(listed));
    assert(!listed.includes('tool_search'));
  }));
await check('A2, A3: one threshold that is passed is enough; zero is passed by any tool', () =>
  play({ enabled: 'auto', minTokens: 1000000, tokenThreshold: 0, coreTools: [] }, async ({ names }) => {
    assert.deepEqual(await names(), ['tool_search', 'tool_describe', 'tool_call']);
  }));
await check('A4: every way to say the mode', async () => {
  for (const [enabled, isSearched] of [[true, true], ['on', true], ['auto:0', true], [false, false], ['off', false]]) {
    await play({ enabled, minTokens: 0, tokenThreshold: 0, coreTools: [] }, async ({ names }) =>
      assert.equal((await names()).includes('tool_search'), isSearched, String(enabled)));
  }
});
await check('A5: what fits the budget is there at first, the rest is deferred', () =>
  play({ enabled: 'auto', minTokens: 1000000, tokenThreshold: 800, defer: 'overflow', coreTools: [] }, async ({ names }) => {
    const listed = await names();
    assert(listed.includes('tool_search'), String(listed));
    assert(listed.some((name) => name.includes('__')), String(listed));
    assert(listed.length < 20, String(listed));
  }));
await check('A6: a server that is never deferred, and a tool whose rule wins over its server', () =>
  play({ ...on, tools: { 'calculator::add': false } }, async ({ names }) => {
    const listed = await names();
    assert(listed.includes('thinking__sequentialthinking'), String(listed));
    assert(listed.includes('calculator__add') && !listed.includes('calculator__sub'), String(listed));
  }, { rules: { thinking: { deferLoading: false }, calculator: { deferLoading: true } } }));
await check('A7: core tools are visible, unless the set is empty', async () => {
  await play({ enabled: 'on' }, async ({ names }) => assert((await names()).includes('filesystem__read_file')));
  await play(on, async ({ names }) => assert(!(await names()).includes('filesystem__read_file')));
});
await check('A11: without MCP there is no server', () =>
  play(on, async ({ names }) => assert(!(await names()).some((name) => name.includes('__'))), { args: ['--no-mcp'] }));
await check('B3, B5: a listing beyond its budget has names only, then only counts', async () => {
  const listing = async (budget) => {
    let text;
    await play({ ...on, listingBudgetTokens: budget }, async ({ client }) => { [{ description: text }] = await client.tools(); });
    return text;
  };
  const [whole, less, least] = [await listing(20000), await listing(600), await listing(60)];
  assert(whole.length > less.length && less.length > least.length, `${whole.length} ${less.length} ${least.length}`);
  assert.match(whole, /calculator::add: /);
  assert.doesNotMatch(least, /calculator::add/);
});
await check('C2: a limit is obeyed, and capped', () =>
  play(on, async ({ found }) => {
    assert.equal((await found({ query: 'file', max_results: 3 })).length, 3);
    assert((await found({ query: 'file', max_results: 1000 })).length <= 20);
  }));
await check('C6, C7: rankings by keyword and by bm25 find a name', async () => {
  for (const ranking of ['keyword', 'bm25']) {
    await play({ ...on, ranking }, async ({ found }) => assert((await found('get-sum')).includes('everything::get-sum'), ranking));
  }
});
await check('C8: a pattern finds; a broken one is an error to act on', () =>
  play({ ...on, ranking: 'regex' }, async ({ found, search }) => {
    assert.deepEqual(await found('^get-s[u]m$'), ['everything::get-sum']);
    const broken = await search('get-(sum');
    assert(broken.isError, textOf(broken));
  }));
await check('C10: exact tools, words that must be there, one server alone', () =>
  play(on, async ({ found }) => {
    assert.deepEqual(await found('select:calculator::add,get-sum'), ['calculator::add', 'everything::get-sum']);
    assert((await found('server:calculator add numbers')).every((id) => id.startsWith('calculator::')));
    assert.deepEqual((await found('numbers +sequentialthinking')).filter((id) => !id.startsWith('thinking::')), []);
  }));
await check('C11: one of 10,000 tools is found and called', async () => {
  const deft = gateway(['many'], { toolSearch: on });
  prime(deft);
  const client = await connect(kind, deft);
  try {
    assert.deepEqual((await client.tools()).map(({ name }) => name), ['tool_search', 'tool_describe', 'tool_call']);
    const { structuredContent } = await client.call('tool_search', { query: 'paint violin 7773' });
    assert.equal(structuredContent.tools[0].id, 'many::paint_violin_7773');
    const result = await client.call('tool_call', { tool_name: 'many::paint_violin_7773', tool_args: { colour: 'red' } });
    assert.equal(textOf(result), 'paint_violin_7773 is red');
  } finally {
    await client.close();
  }
});
await check('D3: what is denied is neither found nor called, by any name', () =>
  play(on, async ({ client, found, bridge }) => {
    assert(!(await found('add two numbers')).includes('calculator::add'));
    assert((await bridge('calculator::add', { a: 1, b: 2 })).isError);
    await assert.rejects(async () => {
      const result = await client.call('calculator__add', { a: 1, b: 2 });
      assert(!result.isError, textOf(result));
    });
    assert.match(textOf(await bridge('everything::get-sum', { a: 1, b: 2 })), /\b3\b/);
  }, { settings: { permissions: { deny: ['calculator::add'] } } }));
await check('D3: a hook sees the real tool and refuses it in its own words', async () => {
  const seen = join(folder('hooks'), 'seen.json');
  await play(on, async ({ bridge }) => {
    const result = await bridge('calculator::add', { a: 1, b: 2 });
    assert(result.isError);
    assert.match(textOf(result), /not on Sundays/);
  }, { settings: { hooks: { beforeCall: `cat > '${seen}'; echo 'not on Sundays' >&2; exit 2` } } });
  const { tool, arguments: given } = JSON.parse(readFileSync(seen, 'utf8'));
  assert.deepEqual([tool, given], ['calculator::add', { a: 1, b: 2 }]);
});
finish();
