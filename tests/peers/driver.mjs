// driver.mjs URL - what the public conformance suite starts as a client under test: a real client in front,
// deft, and behind it the suite's server at URL. The scenario's name says what is asked for.
import { connect } from './lib/clients.mjs';
import { gateway, servers } from './lib/commands.mjs';

const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? '2025-11-25';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const kind = revision >= '2026-07-28' ? 'modern' : 'legacy';
servers.suite = () => ({ type: 'http', url: process.argv.at(-1) });

const client = await connect(kind, gateway(['suite'], { toolSearch: { enabled: false } }));
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
await acts[scenario]?.();
await client.close();
process.exit(0);
