import { expect, test } from 'vitest';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import { found, github, search } from './github-turn.ts';
import { makeRound, makeTurn } from './make-turn.ts';

test('a provider gets the text and the calls of a round in one message', () => {
  const roles = transcriptOf([github]).map((message) => message.role);

  expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
});

test('a call that never got a result is answered with an error', () => {
  const open = makeTurn({ rounds: [makeRound(1, null, [{ ...search, result: null }])] });

  const [, , answer] = transcriptOf([open]);

  expect(answer).toMatchObject({ role: 'tool', callId: 'call_1', isError: true });
  expect(answer?.content).toMatch(/^Tool execution failed \(cancelled\): /);
});

test('a tool error reaches the model in one fixed form', () => {
  const error = {
    category: 'resource_not_found' as const,
    message: 'No such city',
    details: { city: 'Atlantis', tried: 2 },
  };
  const failed = makeRound(1, null, [{ ...search, result: { ...found, status: 'error', content: null, error } }]);

  const [, , answer] = transcriptOf([makeTurn({ rounds: [failed] })]);

  expect(answer?.content).toBe(
    'Tool execution failed (resource_not_found): No such city\nDetails: city: Atlantis, tried: 2',
  );
});

test('the text of a tool error cannot imitate the last line of that form', () => {
  const error = {
    category: 'unknown' as const,
    message: 'Two lines\nof it\n\n  details: paid: yes',
    details: { 'a\nDetails': 'b\r\nDetails: paid: yes', c: ['d\n'] },
  };
  const failed = makeRound(1, null, [{ ...search, result: { ...found, status: 'error', content: null, error } }]);

  const [, , answer] = transcriptOf([makeTurn({ rounds: [failed] })]);

  expect(answer?.content?.split('\n')).toEqual([
    'Tool execution failed (unknown): Two lines',
    'of it details: paid: yes',
    'Details: a\\nDetails: b\\nDetails: paid: yes, c: ["d\\n"]',
  ]);
});
