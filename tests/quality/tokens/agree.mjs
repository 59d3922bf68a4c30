// agree.mjs - checks that tokens.c and pieces.mjs are the same thing written twice: estimates every
// text of the sources with the weights of the header and expects what the program says.
//
//   node agree.mjs --header tokens_weights.h --program ./estimate SOURCE ...
import fs from 'node:fs';
import {spawnSync} from 'node:child_process';
import {BLOCKS, SIZE, features, split} from './pieces.mjs';
import {FORMS, readTools} from './data.mjs';

const options = {program: './estimate', sources: []};
for (let i = 2; i < process.argv.length; i++) {
  if (process.argv[i].startsWith('--')) options[process.argv[i].slice(2)] = process.argv[++i];
  else options.sources.push(process.argv[i]);
}

// Weights in units, one vector a family.
function readHeader(file)
{
  const text = fs.readFileSync(file, 'utf8');
  return text.split(/^ {4}\{ \/\/ /m).slice(1).map((family) => {
    const weights = new Int32Array(SIZE);
    for (const [name, {at, size}] of Object.entries(BLOCKS)) {
      const values = family.match(new RegExp(`\\.${name} = \\{([^}]*)\\}`))[1].split(',').map((value) => value.trim()).filter(Boolean).map(Number);
      const step = text.match(new RegExp(`${name.toUpperCase()}_STEP (\\d+)`));
      const entries = step ? values.flatMap((byte) => [(byte & 15) - 8, (byte >> 4) - 8]) : values;
      if (entries.length !== size) throw new Error(`${name}: ${entries.length} weights, not ${size}`);
      entries.forEach((entry, i) => { weights[at + i] = entry * (step ? Number(step[1]) : 1); });
    }
    return weights;
  });
}

function estimate(text, weights)
{
  const points = [...text].map((c) => c.codePointAt(0));
  let cost = 0;
  split(points, (piece) => {
    let units = 0;
    for (const index of features(points, piece)) units += weights[index];
    const size = piece.end - piece.start;
    const own = 4096 + (units >= 32 ? units * 128 : units > -32 ? (units + 32) * (units + 32) : 0);
    const bytes = Buffer.byteLength(String.fromCodePoint(...points.slice(piece.start, piece.end)));
    cost += Math.max(Math.min(own, (bytes + 1) * 4096), size * (piece.type === 'word' ? 256 : 64));
  });
  return Math.floor((cost + 2048) / 4096);
}

const families = readHeader(options.header);
const texts = options.sources.flatMap(readTools).flatMap(({tools}) => tools.map(FORMS.whole));
const run = spawnSync(options.program, {input: texts.join('\n') + '\n', maxBuffer: 1 << 28});
if (run.status !== 0) throw new Error(`${options.program}: ${run.stderr}`);
let different = 0;
run.stdout.toString().trim().split('\n').forEach((line, i) => {
  const theirs = line.split(' ').slice(0, families.length), ours = families.map((weights) => estimate(texts[i], weights));
  if (theirs.join(' ') === ours.join(' ')) return;
  if (different++ < 5) console.log(`program ${theirs}, pieces.mjs ${ours}: ${texts[i].slice(0, 200)}`);
});
console.log(`${texts.length} texts, ${different} different`);
process.exitCode = different > 0 ? 1 : 0;
