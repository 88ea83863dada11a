import { expect, test } from 'vitest';
import { declareTools } from '#core/llm/round-request.ts';
import type { Message } from '#core/turn/message.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

test('a tool that only the history calls is declared once, behind those there are', () => {
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
