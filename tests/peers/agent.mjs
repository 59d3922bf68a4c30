// agent.mjs AGENT STYLE - a real agent's own tool loop searches, finds and calls through deft. The
// model behind it is ours (model.mjs); nothing else is reached. AGENT is codex, opencode or qwen, STYLE
// is bridge or load.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { assert, check, finish } from './lib/checks.mjs';
import { folder, gateway, here, prime } from './lib/commands.mjs';
import { startModel } from './model.mjs';

const [agent, style] = process.argv.slice(2);
const home = folder('home');
const bin = join(here, 'node_modules', '.bin');
const model = await startModel();
const server = gateway(['everything', 'memory', 'calculator', 'clock'], { toolSearch: { enabled: 'on', style } });
prime(server);

function file(path, text) {
  const name = join(home, path);
  mkdirSync(dirname(name), { recursive: true });
  writeFileSync(name, text);
}

// How each is set up so that it asks nobody anything, and how it is run once.
const agents = {
  codex: () => {
    file('.codex/config.toml', `
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${model.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
[analytics]
enabled = false
[mcp_servers.s]
command = ${JSON.stringify(server.command)}
args = ${JSON.stringify(server.args)}
`);
    return { command: [join(bin, 'codex'), 'exec', '--skip-git-repo-check', '--disable', 'plugins', '--disable', 'apps', 'go'],
      env: { SCRIPTED_KEY: 'dummy' } };
  },
  opencode: () => {
    file('.config/opencode/opencode.json', JSON.stringify({
      autoupdate: false, share: 'disabled', model: 'scripted/scripted', small_model: 'scripted/scripted',
      enabled_providers: ['scripted'],
      provider: { scripted: { npm: '@ai-sdk/openai-compatible', name: 'S', options: { baseURL: `${model.url}/v1`, apiKey: 'dummy' },
        models: { scripted: { name: 's', tool_call: true, limit: { context: 200000, output: 8000 } } } } },
      permission: { '*': 'allow' },
      mcp: { s: { type: 'local', command: [server.command, ...server.args], environment: {}, enabled: true } },
    }));
    // Its own launcher is made by an install script, which we do not run.
    return { command: [join(here, 'node_modules', `opencode-linux-${process.arch}`, 'bin', 'opencode'), 'run', 'go'],
      env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1', OPENCODE_DISABLE_DEFAULT_PLUGINS: '1' } };
  },
  qwen: () => {
    file('.qwen/settings.json', JSON.stringify({
      privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false }, general: { enableAutoUpdate: false },
      tools: { toolSearch: { enabled: false } },
      mcpServers: { s: { command: server.command, args: server.args, trust: true } },
    }));
    return { command: [join(bin, 'qwen'), '--approval-mode', 'yolo', '-p', 'go'],
      env: { OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_MODEL: 'scripted', QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' } };
  },
};

function run({ command: [program, ...args], env }) {
  const child = spawn(program, args, {
    cwd: folder('work'),
    env: { HOME: home, LANG: 'C.UTF-8', PATH: process.env.PATH, TMPDIR: folder('tmp'), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => { output += data; });
  return new Promise((resolve) => { child.on('close', (code) => resolve({ code, output })); });
}

await check(`${agent} searches, finds and calls in style ${style}`, async () => {
  const { code, output } = await run(agents[agent]());
  console.log(output);
  assert.equal(code, 0);
  assert.match(output, /answer 42/);
  assert.deepEqual(model.steps, ['search', style === 'load' ? 'native' : 'bridge', 'end']);
});
await check(style === 'load' ? 'what was found is in the next request' : 'what was found stays out of the list', async () => {
  const isNew = (name) => !model.offered.search.includes(name);
  const after = model.offered[style === 'load' ? 'native' : 'bridge'];
  assert.equal(after.some((name) => isNew(name) && /get.sum$/.test(name)), style === 'load');
});
finish();
