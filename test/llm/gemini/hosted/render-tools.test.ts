import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/gemini/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { checkGemini } from '#test/llm/check-wire/gemini.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const tools = [Tool.parse({ name: 'get_weather' })];
const declared = { functionDeclarations: [{ name: 'get_weather' }] };
const hostedTools = [{ type: 'web_search' }] as const satisfies RoundRequest['hostedTools'];
const search = { googleSearch: {} };

/** Returns the tool fields of a request that Gemini 3 accepts. */
function toolsOf(change: Partial<RoundRequest>) {
  const body = renderRequest({ ...someRequest, ...change }, 'gemini');
  expect(checkGemini(body, 'gemini-3-pro')).toEqual([]);
  return { tools: body.tools, toolConfig: body.toolConfig };
}

test('gemini: hosted tools are sent by their names on the wire, with their options', () => {
  const sent = toolsOf({
    hostedTools: [
      { type: 'web_search', options: { timeRangeFilter: { startTime: '2026-01-01T00:00:00Z' } } },
      { type: 'web_fetch' },
      { type: 'code_execution' },
      { type: 'file_search', options: { fileSearchStoreNames: ['fileSearchStores/a'], topK: 3 } },
    ],
  });

  expect(sent).toEqual({
    tools: [
      { googleSearch: { timeRangeFilter: { startTime: '2026-01-01T00:00:00Z' } } },
      { urlContext: {} },
      { codeExecution: {} },
      { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'], topK: 3 } },
    ],
    toolConfig: undefined,
  });
});

test.each([
  ['auto', { mode: 'VALIDATED' }],
  ['none', { mode: 'NONE' }],
  ['required', { mode: 'ANY' }],
  [
    { type: 'specific', name: 'get_weather' },
    { mode: 'ANY', allowedFunctionNames: ['get_weather'] },
  ],
] as const)('gemini: hosted tools beside functions show their calls, with the choice %j', (toolChoice, expected) => {
  expect(toolsOf({ tools, hostedTools: [...hostedTools], toolChoice })).toEqual({
    tools: [declared, search],
    toolConfig: { functionCallingConfig: expected, includeServerSideToolInvocations: true },
  });
});

test('gemini: a turn with the choice none has no hosted tools', () => {
  const none: Partial<RoundRequest> = { toolChoice: 'none', turnChoice: 'none', hostedTools: [...hostedTools] };

  expect(toolsOf(none)).toEqual({ tools: undefined, toolConfig: undefined });
  expect(toolsOf({ ...none, tools })).toEqual({
    tools: [declared],
    toolConfig: { functionCallingConfig: { mode: 'NONE' } },
  });
});

test('gemini: provider_options.tools are sent after the functions and the hosted tools', () => {
  const providerOptions = { tools: [{ googleMaps: {} }] };

  expect(toolsOf({ tools, hostedTools: [...hostedTools], providerOptions }).tools).toEqual([
    declared,
    search,
    { googleMaps: {} },
  ]);
  expect(toolsOf({ tools, providerOptions })).toEqual({
    tools: [declared, { googleMaps: {} }],
    toolConfig: { functionCallingConfig: { mode: 'VALIDATED' }, includeServerSideToolInvocations: true },
  });
  expect(toolsOf({ providerOptions })).toEqual({ tools: [{ googleMaps: {} }], toolConfig: undefined });
});

test('gemini: functions in provider_options.tools need no configuration', () => {
  const more = { function_declarations: [{ name: 'ping' }] };

  expect(toolsOf({ tools, providerOptions: { tools: [more] } }).toolConfig).toBeUndefined();
});

test('gemini: a null in provider_options.tools removes all tools', () => {
  const sent = toolsOf({ tools, hostedTools: [...hostedTools], providerOptions: { tools: null } });

  expect(sent).toEqual({ tools: undefined, toolConfig: undefined });
});
