// fit.mjs - fits the weights of src/core/tokens/tokens_weights.h.
//
//   node fit.mjs --catalog DIR --pool FILE ... [--output tokens_weights.h]   fits, writes the header
//   node fit.mjs --catalog DIR --pool FILE ... --folds 5 [--family claude]   cross-validates only
//
// Run it in a folder where the packages of README.md are installed. No clock and no randomness are
// used: the same inputs and package versions give the same header.
import fs from 'node:fs';
import path from 'node:path';
import {createHash} from 'node:crypto';
import {split, features, BLOCKS, SIZE} from './pieces.mjs';
import {readTools, readLanguages, counter, FORMS} from './data.mjs';

const UNIT = 32;                    // a token, in the fixed point of the C code
const TABLES = {word_grams: 5, script_grams: 4}; // units of one step of a 4-bit entry
const SWEEPS = 12, EPOCHS = 400, RATE = 0.05, DECAY = 1e-7, LANGUAGE_WEIGHT = 0.3, POOL_WEIGHT = 0.3;

const options = {pool: [], folds: 0, family: null};
for (let i = 2; i < process.argv.length; i += 2) {
  const name = process.argv[i].slice(2), value = process.argv[i + 1];
  if (name === 'pool') options.pool.push(value); else options[name] = value;
}

// The bend that keeps a piece at one token or more: 0 below -1, s above 1, a parabola between.
const bend = (s) => s <= -1 ? 0 : s >= 1 ? s : (s + 1) * (s + 1) / 4;
const slope = (s) => s <= -1 ? 0 : s >= 1 ? 1 : (s + 1) / 2;

// Every distinct piece once, and per server how often it occurs.
function countPieces(sources, forms)
{
  const pieces = [], ids = new Map();
  const servers = sources.map(({group, server, tools}) => {
    const uses = new Map();
    const texts = [];
    for (const tool of tools)
      for (const form of typeof tool === 'string' ? [JSON.stringify] : forms) texts.push(form(tool));
    const bags = [];
    for (const text of texts) {
      const bag = new Map();
      const points = [...text].map((c) => c.codePointAt(0));
      split(points, (piece) => {
        const bytes = String.fromCodePoint(...points.slice(piece.start, piece.end));
        let id = ids.get(bytes);
        if (id === undefined) {
          ids.set(bytes, id = pieces.length);
          pieces.push({text: bytes, type: piece.type, size: piece.end - piece.start,
            features: features(points, piece)});
        }
        uses.set(id, (uses.get(id) || 0) + 1);
        bag.set(id, (bag.get(id) || 0) + 1);
      });
      bags.push({ids: Int32Array.from(bag.keys()), counts: Float64Array.from(bag.values())});
    }
    return {group, server, tools, texts, uses, bags};
  });
  return {pieces, servers};
}

function serverWeight({group, tokens})
{
  const weight = group === 'catalog' || group.startsWith('toucan') || group.startsWith('azure') ? 1
    : group === 'messages' || group === 'editor' ? LANGUAGE_WEIGHT : POOL_WEIGHT;
  // Between "every server counts the same" (1) and "every token does" (0).
  return tokens > 0 ? weight / Math.sqrt(tokens) : 0;
}

function quantise(weights, out)
{
  for (const [name, {at, size}] of Object.entries(BLOCKS)) {
    const step = (TABLES[name] || 1) / UNIT, low = TABLES[name] ? -8 : -128, high = TABLES[name] ? 7 : 127;
    for (let i = at; i < at + size; i++)
      out[i] = step * Math.max(low, Math.min(high, Math.round(weights[i] / step)));
  }
  return out;
}

// One fit. `samples` are bags of pieces with the tokens they cost together: single pieces for
// o200k, whose cut we follow exactly, whole texts for families that cut otherwise. Adam over the
// whole set; from half way on the forward pass uses the rounded weights, so that the rounding is
// fitted too. With `start` the fit begins there.
function descend(pieces, samples, start)
{
  const used = new Uint8Array(pieces.length);
  let total = 0;
  for (const {ids, weight} of samples) { for (const id of ids) used[id] = 1; total += weight; }
  const list = [];
  pieces.forEach((piece, id) => { if (used[id]) list.push(id); });
  const indices = pieces.map((piece, id) => used[id] ? Int32Array.from(piece.features) : null);
  const weights = start ? start.slice() : new Float64Array(SIZE);
  const rounded = new Float64Array(SIZE), gradient = new Float64Array(SIZE);
  const mean = new Float64Array(SIZE), square = new Float64Array(SIZE);
  const costs = new Float64Array(pieces.length), slopes = new Float64Array(pieces.length);
  const push = new Float64Array(pieces.length);
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    const current = epoch > EPOCHS / 2 ? quantise(weights, rounded) : weights;
    for (const id of list) {
      let score = 0;
      for (const index of indices[id]) score += current[index];
      costs[id] = 1 + bend(score);
      slopes[id] = slope(score);
      push[id] = 0;
    }
    for (const {ids, counts, tokens, weight} of samples) {
      let miss = -tokens;
      for (let i = 0; i < ids.length; i++) miss += counts[i] * costs[ids[i]];
      for (let i = 0; i < ids.length; i++) push[ids[i]] += 2 * weight * miss * counts[i];
    }
    gradient.fill(0);
    for (const id of list) {
      // The small slope lets a piece come back that is stuck at one token and should cost more.
      const step = push[id] * (slopes[id] || (push[id] < 0 ? 0.02 : 0));
      if (step !== 0) for (const index of indices[id]) gradient[index] += step;
    }
    const rate = RATE * Math.min(1, 0.02 + 2 * (1 - epoch / EPOCHS));
    for (let i = 0; i < SIZE; i++) {
      const g = gradient[i] / total + DECAY * weights[i];
      mean[i] = 0.9 * mean[i] + 0.1 * g;
      square[i] = 0.98 * square[i] + 0.02 * g * g;
      weights[i] -= rate * (mean[i] / (1 - 0.9 ** epoch)) / (Math.sqrt(square[i] / (1 - 0.98 ** epoch)) + 1e-9);
    }
  }
  return quantise(weights, rounded).slice();
}

// Walks the rounded weights one step up or down wherever that lowers the error, until little is
// won: rounding leaves frequent pieces a few hundredths of a token off, which sum over a catalog.
function polish(pieces, samples, weights)
{
  const scores = new Float64Array(samples.length);
  const users = Array.from({length: SIZE}, () => ({sample: [], times: []}));
  samples.forEach(({ids: [id]}, sample) => {
    for (const index of pieces[id].features) {
      const {sample: list, times} = users[index];
      scores[sample] += weights[index];
      if (list.at(-1) === sample) times[times.length - 1]++; else { list.push(sample); times.push(1); }
    }
  });
  const gain = ({sample, times}, change) => {
    let sum = 0;
    for (let i = 0; i < sample.length; i++) {
      const {tokens, weight} = samples[sample[i]], score = scores[sample[i]];
      const before = 1 + bend(score) - tokens, after = 1 + bend(score + change * times[i]) - tokens;
      sum += weight * (before * before - after * after);
    }
    return sum;
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const [name, {at, size}] of Object.entries(BLOCKS)) {
      const step = (TABLES[name] || 1) / UNIT, low = (TABLES[name] ? -8 : -128) * step, high = (TABLES[name] ? 7 : 127) * step;
      for (let i = at; i < at + size; i++) {
        const change = [step, -step].find((by) => weights[i] + by >= low && weights[i] + by <= high && gain(users[i], by) > 0);
        if (change === undefined) continue;
        weights[i] += change;
        users[i].sample.forEach((sample, k) => { scores[sample] += change * users[i].times[k]; });
      }
    }
  }
  return weights;
}

// Every piece by itself, as often as the servers use it.
function fitPieces(pieces, costs, servers)
{
  const use = new Float64Array(pieces.length);
  for (const server of servers) {
    const weight = serverWeight(server);
    for (const [id, count] of server.uses) use[id] += weight * count;
  }
  const samples = [];
  pieces.forEach(({features: indices}, id) => {
    if (use[id] > 0) // long pieces vary more, so they count less
      samples.push({ids: [id], counts: [1], tokens: costs[id], weight: use[id] / (1 + indices.length / 8)});
  });
  return polish(pieces, samples, descend(pieces, samples));
}

// Whole texts, from the weights of another family.
function fitTexts(pieces, servers, start)
{
  const samples = [];
  for (const server of servers) {
    const weight = serverWeight(server);
    server.bags.forEach((bag, i) => { if (server.counts[i] > 0) samples.push({...bag, tokens: server.counts[i], weight: weight / Math.sqrt(server.counts[i])}); });
  }
  return descend(pieces, samples, start);
}

function estimate(weights, pieces, {uses})
{
  let total = 0;
  for (const [id, count] of uses) {
    const {features: indices, type, size, text} = pieces[id];
    let score = 0;
    for (const index of indices) score += weights[index];
    const most = Buffer.byteLength(text) + 1, least = size / (type === 'word' ? 16 : 64);
    total += count * Math.max(Math.min(1 + bend(score), most), least);
  }
  return total;
}

function report(title, rows)
{
  const errors = rows.map((row) => Math.abs(row.estimate / row.tokens - 1)).sort((a, b) => a - b);
  const sum = (key) => rows.reduce((all, row) => all + row[key], 0);
  const percent = (x) => (100 * x).toFixed(2);
  console.log(`${title.padEnd(28)} servers ${rows.length}  mean ${percent(errors.reduce((a, b) => a + b, 0) / errors.length)}` +
    `  p95 ${percent(errors[Math.floor(errors.length * 0.95)])}  max ${percent(errors.at(-1))}` +
    `  total ${percent(sum('estimate') / sum('tokens') - 1)}  over 5 %: ${errors.filter((e) => e > 0.05).length}`);
  const worst = rows.sort((a, b) => Math.abs(b.estimate / b.tokens - 1) - Math.abs(a.estimate / a.tokens - 1)).slice(0, 6);
  console.log('   ' + worst.map((row) => `${row.server} (${row.tokens}) ${percent(row.estimate / row.tokens - 1)}`).join(', '));
}

// The weights of a family, from `servers`; `costs` are o200k's tokens of each piece.
function fitFamily(family, pieces, costs, servers, known)
{
  const weights = known || fitPieces(pieces, costs, servers);
  return family === 'o200k' ? weights : fitTexts(pieces, servers, weights);
}

function crossValidate(family, pieces, costs, servers, folds)
{
  const catalog = servers.filter(({group}) => group === 'catalog');
  const rows = [];
  for (let fold = 0; fold < folds; fold++) {
    const held = catalog.filter((_, i) => i % folds === fold);
    // A pool may hold the same server again: whoever shares a description is left out as well.
    const seen = new Set(held.flatMap(({tools}) => tools.map((tool) => tool.description)));
    const rest = servers.filter((server) => !held.includes(server) &&
      !server.tools.some((tool) => tool.description && seen.has(tool.description)));
    const weights = fitFamily(family, pieces, costs, rest);
    for (const server of held) rows.push({server: server.server, tokens: server.tokens,
      estimate: estimate(weights, pieces, server)});
  }
  report('catalog, held out', rows);
}

// Fits without the groups whose name starts with `prefix`, then measures them.
function holdOut(family, pieces, costs, servers, prefix)
{
  const rest = servers.filter(({group}) => !group.startsWith(prefix));
  const weights = fitFamily(family, pieces, costs, rest);
  for (const group of new Set(servers.map((server) => server.group))) {
    const rows = servers.filter((server) => server.group === group && server.tokens >= 80);
    if (rows.length > 10)
      report(group + (group.startsWith(prefix) ? ', held out' : ', fitted'), rows.map((server) =>
        ({server: server.server, tokens: server.tokens, estimate: estimate(weights, pieces, server)})));
  }
}

function writeHeader(file, fitted)
{
  const rows = (values, width, indent) => {
    const lines = [];
    for (let i = 0; i < values.length; i += width) lines.push(indent + values.slice(i, i + width).join(', ') + ',\n');
    return lines.join('');
  };
  const part = (weights, name, unit) => {
    const {at, size} = BLOCKS[name];
    return Array.from(weights.slice(at, at + size), (weight) => Math.round(weight * UNIT / unit));
  };
  let text = '// Made by tests/quality/tokens/fit.mjs: included by tokens.c only. See docs/tokens.md.\n' +
    '// clang-format off\n\n';
  for (const [name, step] of Object.entries(TABLES)) text += `#define ${name.toUpperCase()}_STEP ${step} // units\n`;
  text += '\nstatic const struct family_weights family_weights[] = {\n';
  for (const {family, weights} of fitted) {
    text += `    { // ${family}\n`;
    for (const name of Object.keys(BLOCKS)) {
      let values = part(weights, name, TABLES[name] || 1);
      if (TABLES[name]) { // two entries a byte
        const pairs = [];
        for (let i = 0; i < values.length; i += 2)
          pairs.push('0x' + ((values[i] + 8) | (values[i + 1] + 8) << 4).toString(16).padStart(2, '0'));
        values = pairs;
      }
      text += `        .${name} = {\n${rows(values, 14, '            ')}        },\n`;
    }
    text += '    },\n';
  }
  fs.writeFileSync(file, text + '};\n// clang-format on\n');
}

// With --cache DIR the counts are kept there: ctok needs minutes for all of them.
async function countTexts(family, texts)
{
  const name = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
  const file = options.cache && path.join(options.cache, `${family}-${name}.json`);
  if (file && fs.existsSync(file)) return JSON.parse(fs.readFileSync(file));
  const counts = (await counter(family))(texts);
  if (file) fs.writeFileSync(file, JSON.stringify(counts));
  return counts;
}

const sources = [readTools(options.catalog), ...options.pool.map(readTools), readLanguages()].flat();
const {pieces, servers} = countPieces(sources, [FORMS.whole]);
const costs = (await counter('o200k'))(pieces.map(({text}) => text));
const fitted = [];
for (const family of options.family ? [options.family] : ['o200k', 'claude', 'llama']) {
  const counts = await countTexts(family, servers.flatMap(({texts}) => texts));
  for (const server of servers) {
    server.counts = counts.splice(0, server.texts.length);
    server.tokens = server.counts.reduce((sum, count) => sum + count, 0);
  }
  console.log(`${family}: ${servers.length} servers, ${pieces.length} pieces, ${SIZE} weights`);
  if (options.folds) crossValidate(family, pieces, costs, servers, Number(options.folds));
  if (options.without) holdOut(family, pieces, costs, servers, options.without);
  if (options.output) {
    const weights = fitFamily(family, pieces, costs, servers, fitted[0]?.weights);
    fitted.push({family, weights});
    report('everything, fitted', servers.filter(({tokens}) => tokens >= 80).map((server) =>
      ({server: server.server, tokens: server.tokens, estimate: estimate(weights, pieces, server)})));
  }
}
if (options.output) writeHeader(options.output, fitted);
if (options.dump) fs.writeFileSync(options.dump, JSON.stringify(fitted.map(({family, weights}) => ({family, weights: Array.from(weights)}))));
