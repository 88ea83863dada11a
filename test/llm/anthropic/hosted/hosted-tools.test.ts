import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/anthropic/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { HostedTool } from '#core/turn/hosted/hosted-tool.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { checkAnthropic } from '#test/llm/check-wire/anthropic.ts';
import { answer, call, roundsOf, user } from '#test/llm/history.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const form = { isKept: true, isFilled: false, takesMarks: true, takesTtl: true };
const render = (change: Partial<RoundRequest>) => renderRequest({ ...someRequest, ...change }, 'anthropic', form);
const weather = Tool.parse({ name: 'get_weather', description: 'Tells the weather' });
const function_ = {
  name: 'get_weather',
  description: 'Tells the weather',
  input_schema: { type: 'object', properties: {} },
};
const search: HostedTool = { type: 'web_search' };
const newest = { type: 'web_search_20260318', name: 'web_search' };
const searchTool = { ...newest, allowed_callers: ['direct'] };

test('hosted tools follow the functions, with their version, name and options', () => {
  const hostedTools: HostedTool[] = [
    { type: 'web_search', options: { max_uses: 3, allowed_domains: ['example.com'] } },
    { type: 'web_fetch' },
    { type: 'code_execution' },
  ];

  const body = render({ tools: [weather], hostedTools });

  expect(body.tools).toEqual([
    function_,
    { ...newest, max_uses: 3, allowed_domains: ['example.com'] },
    { type: 'web_fetch_20260318', name: 'web_fetch' },
    { type: 'code_execution_20260521', name: 'code_execution' },
  ]);
  expect(checkAnthropic(body)).toEqual([]);
});

test('options of a hosted tool replace its version', () => {
  const hostedTools: HostedTool[] = [{ type: 'web_search', options: { type: 'web_search_20250305' } }];

  expect(render({ hostedTools }).tools).toEqual([{ type: 'web_search_20250305', name: 'web_search' }]);
});

test('code filters search results only with code execution, or if options ask for it', () => {
  const byCode = { allowed_callers: ['code_execution_20260521'] };

  expect(render({ hostedTools: [search] }).tools).toEqual([searchTool]);
  expect(render({ hostedTools: [search, { type: 'code_execution' }] }).tools).toContainEqual(newest);
  expect(render({ hostedTools: [{ ...search, options: byCode }] }).tools).toEqual([{ ...newest, ...byCode }]);
});

test.for([
  ['auto', undefined],
  ['required', { type: 'any' }],
  ['none', { type: 'none' }],
] as const)('the tool choice %s applies to hosted tools alone', ([toolChoice, choice]) => {
  const body = render({ hostedTools: [search], toolChoice });

  expect(body).toMatchObject({ tools: [searchTool] });
  expect(body.tool_choice).toEqual(choice);
});

test('functions of the history are declared before hosted tools', () => {
  const messages = [user('Hi'), roundsOf('anthropic')(null, [call('a')]), answer('a', 'x')];

  const body = render({ messages, declaredTools: [weather], hostedTools: [search] });

  expect(body.tools).toEqual([function_, searchTool]);
  expect(body).not.toHaveProperty('tool_choice');
});

test('the cache mark is on the last hosted tool if there is no system prompt', () => {
  const promptCache = { ttl: null, key: 'key' };

  const body = render({ instructions: null, tools: [weather], hostedTools: [search], promptCache });

  expect(body.tools).toEqual([function_, { ...searchTool, cache_control: { type: 'ephemeral' } }]);
  expect(checkAnthropic(body)).toEqual([]);
});

const memory = { type: 'memory_20250818', name: 'memory' };

test.for([
  ['functions', { tools: [weather] }, [function_, memory]],
  ['hosted tools', { hostedTools: [search] }, [searchTool, memory]],
  ['no tools', {}, [memory]],
] as const)('tools of provider_options are added to %s', ([, own, tools]) => {
  const body = render({ ...(own as Partial<RoundRequest>), providerOptions: { tools: [memory] } });

  expect(body.tools).toEqual(tools);
});

test('a tool of provider_options takes the place of a tool with its name', () => {
  const strict = { ...function_, strict: true };

  const body = render({ tools: [weather], hostedTools: [search], providerOptions: { tools: [memory, strict] } });

  expect(body.tools).toEqual([strict, searchTool, memory]);
});

test('provider_options with tools null remove all tools', () => {
  const body = render({ tools: [weather], hostedTools: [search], providerOptions: { tools: null } });

  expect(JSON.parse(JSON.stringify(body))).not.toHaveProperty('tools');
});

test('thinking is not enabled for a forced hosted tool', () => {
  const asked = { model: 'claude-opus-5', reasoningEffort: 'low', reasoningSummary: 'auto' } as const;

  expect(render({ ...asked, hostedTools: [search] }).thinking).toMatchObject({ type: 'adaptive' });
  expect(render({ ...asked, hostedTools: [search], toolChoice: 'required' })).not.toHaveProperty('thinking');
});
