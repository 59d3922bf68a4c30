// data.mjs - reads the texts a fit or a comparison works on, and counts them with real tokenizers.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import zlib from 'node:zlib';
import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {createRequire} from 'node:module';

const require = createRequire(path.join(process.cwd(), 'x.js')); // packages of the current folder

function lines(file)
{
  const bytes = fs.readFileSync(file);
  return (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString().split('\n').filter(Boolean);
}

// [{group, server, texts: [...], descriptions: Set}] from a folder of server files ({tools: []}) or
// from a .jsonl(.gz) pool whose lines are tools with a "server".
export function readTools(source)
{
  const servers = new Map();
  const add = (group, server, tool) => {
    const key = group + '/' + server;
    if (!servers.has(key)) servers.set(key, {group, server, tools: []});
    servers.get(key).tools.push(tool);
  };
  if (fs.statSync(source).isDirectory()) {
    for (const file of fs.readdirSync(source).filter((name) => name.endsWith('.json')).sort())
      for (const tool of JSON.parse(fs.readFileSync(path.join(source, file))).tools)
        add('catalog', path.basename(file, '.json'), tool);
  } else {
    const group = path.basename(path.dirname(source)) + '/' + path.basename(source).split('.')[0];
    for (const line of lines(source)) {
      const {id, server, ...tool} = JSON.parse(line);
      add(group, server || '', tool);
    }
  }
  return [...servers.values()];
}

// Program messages in many languages, as further "servers": npm packages typescript@5, tinymce-i18n.
export function readLanguages()
{
  const out = [];
  const typescript = path.join(path.dirname(require.resolve('typescript/package.json')), 'lib');
  for (const language of fs.readdirSync(typescript)) {
    const file = path.join(typescript, language, 'diagnosticMessages.generated.json');
    if (fs.existsSync(file))
      out.push({group: 'messages', server: language, tools: Object.values(JSON.parse(fs.readFileSync(file)))});
  }
  const editor = path.join(path.dirname(require.resolve('tinymce-i18n/package.json')), 'langs8');
  for (const file of fs.readdirSync(editor)) {
    let messages = {};
    vm.runInNewContext(fs.readFileSync(path.join(editor, file), 'utf8'),
      {tinymce: {addI18n: (_, all) => { messages = all; }}});
    out.push({group: 'editor', server: file.replace('.js', ''),
      tools: Object.values(messages).filter((text) => typeof text === 'string' && text)});
  }
  return out;
}

// How a definition is written when it is sent.
export const FORMS = {
  whole: (tool) => JSON.stringify(tool),
  messages: (tool) => JSON.stringify({name: tool.name, description: tool.description, input_schema: tool.inputSchema}),
  function: (tool) => JSON.stringify({type: 'function',
    function: {name: tool.name, description: tool.description, parameters: tool.inputSchema}}),
};

// The newest Claude tokenizer ctok knows: Opus 4.8, Sonnet 5 and later (docs/tokens.md).
const CLAUDE_VERSION = '4.8';

function countClaude(texts)
{
  const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'claude_count.py');
  const run = spawnSync(process.env.PYTHON || 'python3', [script, CLAUDE_VERSION],
    {input: texts.map((text) => JSON.stringify(text) + '\n').join(''), maxBuffer: 1 << 30});
  if (run.status !== 0) throw new Error(`claude_count.py: ${run.stderr}`);
  return run.stdout.toString().trim().split('\n').map(Number);
}

// A function [text] -> [tokens] for a family, from the real tokenizer.
export async function counter(family)
{
  if (family === 'o200k') {
    const {encode} = require('gpt-tokenizer/cjs/encoding/o200k_base');
    const options = {allowedSpecial: new Set(), disallowedSpecial: new Set()};
    return (texts) => texts.map((text) => encode(text, options).length);
  }
  if (family === 'claude') return countClaude;
  if (family === 'llama') {
    const tokenizer = (await import(require.resolve('llama3-tokenizer-js'))).default;
    return (texts) => texts.map((text) => tokenizer.encode(text, {bos: false, eos: false}).length);
  }
  throw new Error(`no tokenizer for family '${family}'`);
}
