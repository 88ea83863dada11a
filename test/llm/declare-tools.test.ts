import { expect, test } from 'vitest';
import { renderRequest as renderAnthropic } from '#core/llm/anthropic/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { declareTools } from '#core/llm/round-request.ts';
import type { Message } from '#core/turn/message.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

test('a tool that only the history calls is declared once, after the given tools', () => {
  const here = Tool.parse({ name: 'here' });
  const calling = (...names: string[]): Message => ({
    role: 'assistant',
    content: null,
    calls: names.map((name) => ({ id: name, name, arguments: '{}' })),
  });

  const declared = declareTools([here], [calling('gone', 'here'), { role: 'user', content: 'Hi' }, calling('gone')]);

  expect(declared[0]).toBe(here);
  expect(declared.map(({ name }) => name)).toEqual(['here', 'gone']);
  expect(declared[1]!.parameters).toEqual({ type: 'object', properties: {} });
});

const names = ['old tool', 'old-tool!', 'old_tool', '1st'];
const messages: Message[] = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: null, calls: names.map((name) => ({ id: name, name, arguments: '{}' })) },
  ...names.map((name): Message => ({ role: 'tool', callId: name, name, content: 'ok', isError: false })),
];
const final: RoundRequest = { ...someRequest, messages, declaredTools: declareTools([], messages) };

test('former tools are declared once under each name in the history', () => {
  const { tools } = renderAnthropic(final, 'anthropic') as unknown as { tools: { name: string }[] };

  expect(tools.map(({ name }) => name)).toEqual(['old_tool', 'old-tool_', '1st']);
});
