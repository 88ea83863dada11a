import { expect, test } from 'vitest';
import { compactHistory, openaiHistory } from '#core/turn/history.ts';
import { transcriptOf } from '#core/turn/transcript.ts';
import type { Turn } from '#core/turn/turn.ts';
import { makeRound, makeTurn } from './make-turn.ts';

const search = { id: 'call_1', name: 'github_search', arguments: '{"query":"language:swift","sort":"stars"}' };
const star = { id: 'call_2', name: 'github_star', arguments: '{"owner":"apple","repo":"swift"}' };
const found = { status: 'success' as const, error: null, truncated: false, cached: false, duration_ms: 1, attempts: 1 };

/** The conversation that everything about compact storage and expansion is measured by. */
const github: Turn = makeTurn({
  status: 'completed',
  input: [{ role: 'user', content: 'Find the top GitHub repo for Swift and star it' }],
  rounds: [
    makeRound(1, "I'll search for the top Swift repository...", [
      { ...search, result: { ...found, content: '{"stars":65000}' } },
    ]),
    makeRound(2, 'Found it! Now let me star it for you...', [
      { ...star, result: { ...found, content: '{"success":true}' } },
    ]),
    makeRound(3, null),
  ],
  output: "Done! I've starred apple/swift - it has 65,000 stars!",
});

test('a finished turn is kept as its final text with the rounds that led to it', () => {
  const [user, assistant, ...rest] = compactHistory([github]);

  expect(rest).toEqual([]);
  expect(user).toMatchObject({ role: 'user', content: 'Find the top GitHub repo for Swift and star it' });
  expect(assistant).toMatchObject({
    role: 'assistant',
    content: "Done! I've starred apple/swift - it has 65,000 stars!",
    rounds: [
      {
        assistant_response: "I'll search for the top Swift repository...",
        tool_calls: [{ id: 'call_1', name: 'github_search', arguments: { query: 'language:swift', sort: 'stars' } }],
        results: [{ tool_call_id: 'call_1', content: '{"stars":65000}' }],
      },
      { assistant_response: 'Found it! Now let me star it for you...', results: [{ content: '{"success":true}' }] },
    ],
  });
});

test('expanded for OpenAI, text, calls and results are messages of their own', () => {
  expect(openaiHistory([github])).toEqual([
    { role: 'user', content: 'Find the top GitHub repo for Swift and star it' },
    { role: 'assistant', content: "I'll search for the top Swift repository..." },
    {
      role: 'assistant',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: search.name, arguments: search.arguments } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '{"stars":65000}' },
    { role: 'assistant', content: 'Found it! Now let me star it for you...' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'call_2', type: 'function', function: { name: star.name, arguments: star.arguments } }],
    },
    { role: 'tool', tool_call_id: 'call_2', content: '{"success":true}' },
    { role: 'assistant', content: "Done! I've starred apple/swift - it has 65,000 stars!" },
  ]);
});

test('what leaves for a provider has the text and calls of a round in one message', () => {
  const roles = transcriptOf([github]).map((message) => message.role);

  expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
});

test('a call that never got a result is answered all the same', () => {
  const open = makeTurn({ rounds: [makeRound(1, null, [{ ...search, result: null }])] });

  const [, , answer] = transcriptOf([open]);

  expect(answer).toMatchObject({ role: 'tool', callId: 'call_1', isError: true });
  expect(answer?.content).toMatch(/^Tool execution failed \(cancelled\): /);
});

test('an error reaches the model in one fixed form', () => {
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
