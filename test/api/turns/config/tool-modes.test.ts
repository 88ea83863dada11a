import { expect, test } from 'vitest';
import { RequestRefused } from '#core/failure.ts';
import { readPrices } from '#core/llm/by-model/prices.ts';
import type { Providers } from '#core/llm/providers.ts';
import { openMcpServers } from '#core/tools/mcp/servers.ts';
import { toolRegistry } from '#core/tools/registry.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';
import { makeProjects } from '#services/process/projects.ts';
import { resolveConfig } from '#services/start/resolve-config.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { weather } from '#test/llm/dialects/scripted-provider.ts';

const known = {
  streaming: true,
  parallel_tool_calls: false,
  thinking: true,
  structured_outputs: true,
  hosted_tools: [],
};
const wire = { wire: 'openai' as const, ...known };
const found = (tools: boolean) => ({ name: 'basic', capabilities: { ...wire, tools }, ask: () => Promise.reject() });

async function resolve(config: StandingConfig, can: { tools: boolean }) {
  const providers: Providers = {
    names: ['basic'],
    has: (name) => name === 'basic',
    find: () => found(can.tools),
    ofModel: () => found(can.tools),
    responsesOf: () => undefined,
    twoWires: () => null,
    timeoutLimitMs: 3_600_000,
    list: () => [],
    close: async () => {},
  };
  const mcp = openMcpServers(new Map(), { warn: () => {} });
  const tooling = { tools: toolRegistry([]), mcp, toolSecrets: new Map(), toolRules: 'strict' as const };
  const rules = {
    providers,
    prices: readPrices(undefined),
    ...tooling,
    egressPolicy: [],
    projects: makeProjects([]),
    project: 'default',
  };
  try {
    return await resolveConfig({ model: 'basic/model', ...config }, rules);
  } catch (refusal) {
    return refusal as RequestRefused;
  }
}

test('native tools are refused with the mode to use if the provider lacks tool calls', async () => {
  const refusal = await resolve({ tools: [weather] }, { tools: false });

  expect(refusal).toBeInstanceOf(RequestRefused);
  expect(refusal).toMatchObject({ status: 400, code: 'tools_not_supported', param: 'tool_mode' });
  expect(refusal).toHaveProperty('message', expect.stringContaining('"emulated"'));
});

test('a provider without tool calls accepts other tool modes, and turns without tools', async () => {
  expect(await resolve({ tools: [weather], tool_mode: 'emulated' }, { tools: false })).toHaveProperty(
    'tool_mode',
    'emulated',
  );
  expect(await resolve({ tools: [weather], tool_mode: 'inline' }, { tools: false })).toHaveProperty(
    'tool_mode',
    'inline',
  );
  expect(await resolve({}, { tools: false })).toHaveProperty('tool_mode', 'native');
});

test('a provider with tool calls accepts every tool mode', async () => {
  for (const tool_mode of ['native', 'emulated', 'inline'] as const) {
    expect(await resolve({ tools: [weather], tool_mode }, { tools: true })).toHaveProperty('tool_mode', tool_mode);
  }
});

test('PAWL_PROVIDERS can declare a server without tool calls', async () => {
  const basic = { kind: 'openai', base_url: 'http://127.0.0.1:1/v1', tools: false };
  await using harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify({ basic }) } });
  const request = { model: 'basic/model', input: 'Hi', tools: ['weather_lookup'] };

  const native = await harness.call('POST', '/v1/turns', { body: request });
  const emulated = await harness.call('POST', '/v1/turns', { body: { ...request, tool_mode: 'emulated' } });

  expect(native).toMatchObject({ status: 400, body: { error: { code: 'tools_not_supported' } } });
  expect(emulated.status).toBe(202);
});
