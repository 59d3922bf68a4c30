// compare.mjs - holds the estimator against real tokenizers, server by server.
//
//   node compare.mjs --program ./estimate SOURCE ... [--family o200k] [--form whole] [--all yes]
//
// A source is a folder of server files or a .jsonl(.gz) pool (data.mjs). `estimate` is estimate.c.
// Exit 1 when a server is off by more than 5 % or the sum by more than 2 % (o200k only).
import {spawnSync} from 'node:child_process';
import {FORMS, counter, readTools} from './data.mjs';

const FAMILIES = ['o200k', 'claude', 'llama', 'chars4'];
const options = {program: './estimate', family: 'o200k', form: 'whole', sources: []};
for (let i = 2; i < process.argv.length; i++) {
  if (process.argv[i].startsWith('--')) options[process.argv[i].slice(2)] = process.argv[++i];
  else options.sources.push(process.argv[i]);
}

const servers = options.sources.flatMap(readTools);
const texts = servers.flatMap(({tools}) => tools.map(FORMS[options.form]));
const real = (await counter(options.family === 'chars4' ? 'o200k' : options.family))(texts);
const run = spawnSync(options.program, {input: texts.join('\n') + '\n', maxBuffer: 1 << 28});
if (run.status !== 0) throw new Error(`${options.program}: ${run.stderr}`);
const column = FAMILIES.indexOf(options.family);
const estimated = run.stdout.toString().trim().split('\n').map((line) => Number(line.split(' ')[column]));

let at = 0;
const rows = servers.map(({server, tools}) => {
  const row = {server, tools: tools.length, real: 0, estimated: 0};
  for (let i = 0; i < tools.length; i++, at++) { row.real += real[at]; row.estimated += estimated[at]; }
  row.error = row.estimated / row.real - 1;
  return row;
}).sort((a, b) => Math.abs(b.error) - Math.abs(a.error));

const percent = (x) => (100 * x).toFixed(2) + ' %';
for (const row of options.all ? rows : rows.slice(0, 10))
  console.log(`${percent(row.error).padStart(9)}  ${row.server} (${row.tools} tools, ${row.real} tokens, estimated ${row.estimated})`);
const sum = (key) => rows.reduce((all, row) => all + row[key], 0);
const total = sum('estimated') / sum('real') - 1, worst = Math.abs(rows[0].error);
const errors = rows.map(({error}) => Math.abs(error));
console.log(`${options.family}, ${options.form}: ${rows.length} servers, mean ${percent(errors.reduce((a, b) => a + b) / rows.length)}, ` +
  `p95 ${percent(errors[Math.floor(errors.length * 0.05)])}, max ${percent(worst)}, over 5 %: ${errors.filter((e) => e > 0.05).length}, ` +
  `total ${percent(total)} of ${sum('real')} tokens`);
process.exitCode = options.family === 'o200k' && (worst > 0.05 || Math.abs(total) > 0.02) ? 1 : 0;
