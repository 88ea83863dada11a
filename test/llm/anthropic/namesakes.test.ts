import { expect, test } from 'vitest';
import { renderRequest as renderAnthropic } from '#core/llm/anthropic/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { declareTools } from '#core/llm/round-request.ts';
import type { Message } from '#core/turn/message.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const names = ['old tool', 'old-tool!', 'old_tool', '1st'];
const messages: Message[] = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: null, calls: names.map((name) => ({ id: name, name, arguments: '{}' })) },
  ...names.map((name): Message => ({ role: 'tool', callId: name, name, content: 'ok', isError: false })),
];
const final: RoundRequest = { ...someRequest, messages, declaredTools: declareTools([], messages) };

test('tools that are gone are declared by the names the history calls them by, each once', () => {
  const { tools } = renderAnthropic(final, 'anthropic') as unknown as { tools: { name: string }[] };

  expect(tools.map(({ name }) => name)).toEqual(['old_tool', 'old-tool_', '1st']);
});
