// driver.mjs URL - what the public conformance suite starts as a client under test: a real client in front,
// deft, and behind it the suite's server at URL. The scenario's name says what is asked for.
import { connect } from './lib/clients.mjs';
import { gateway, servers } from './lib/commands.mjs';
import { login } from './lib/login.mjs';

const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? '2025-11-25';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const kind = revision >= '2026-07-28' ? 'modern' : 'legacy';
servers.suite = () => ({
  type: 'http',
  url: process.argv.at(-1),
  oauth: {
    clientId: context.client_id,
    clientSecret: context.client_secret,
    clientIdMetadataUrl: 'https://conformance-test.local/client-metadata.json', // which the suite expects
  },
});

// On a busy machine a server may take longer than an agent would wait for its tools.
const deft = gateway(['suite'], { toolSearch: { enabled: false }, gateway: { firstWaitMs: 20000 } });
const wantsLogin = scenario.startsWith('auth/');
if (wantsLogin) {
  await login(deft, 'suite');
}
const client = await connect(kind, deft);
const tools = await client.tools();
console.log(scenario, kind, tools.map(({ name }) => name).join(' '));

async function call(name, given = {}) {
  try {
    console.log(name, JSON.stringify(await client.call(name, given)));
  } catch (error) {
    console.log(name, String(error));
  }
}

const acts = {
  tools_call: () => call('add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': () => call('test_client_elicitation_defaults'),
  'sse-retry': () => call('test_reconnection'),
  'http-standard-headers': async () => {
    for (const { name } of tools) {
      await call(name);
    }
    for (const { name } of await client.prompts()) {
      await client.prompt(name);
    }
    for (const { uri } of await client.resources()) {
      await client.read(uri);
    }
  },
  'http-custom-headers': async () => {
    for (const { name, arguments: given } of context.toolCalls) {
      await call(name, given);
    }
  },
  'http-invalid-tool-headers': () => call('valid_tool', { region: 'eu' }),
  'sep-2322-client-request-state': async () => {
    for (const name of ['echo_state', 'no_state', 'unrelated', 'no_result_type']) {
      await call(`test_mrtr_${name}`);
    }
  },
  'json-schema-2020-12-preservation': () => call('json_schema_echo',
    { schema: tools.find(({ name }) => name === 'json_schema_2020_12_tool').inputSchema }),
};
// What a person does who reads the error: logs in as it says, and tries again.
async function callWithLogins() {
  for (let logins = 1; ; logins++) {
    const answer = JSON.stringify(await client.call('test-tool', {}).catch(String));
    console.log(`test-tool ${answer}`);
    if (!/run 'deft login/.test(answer) || logins > 4) {
      return;
    }
    await login(deft, 'suite');
  }
}
await (wantsLogin ? callWithLogins() : acts[scenario]?.());
await client.close();
process.exit(0);
