import { expect, test } from 'vitest';
import { anthropicHistory } from '#core/turn/history/anthropic.ts';
import { compactHistory } from '#core/turn/history/compact.ts';
import { geminiHistory } from '#core/turn/history/gemini.ts';
import { openaiHistory } from '#core/turn/history/openai.ts';
import type { InputItem } from '#core/turn/request/item.ts';
import { found, github, search, star } from './github-turn.ts';
import { makeRound, makeTurn } from './make-turn.ts';

test('the history keeps a finished turn as its final text with its rounds', () => {
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

test('the history for OpenAI has text, calls and results as separate messages', () => {
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

test('the history for Anthropic has tool_use blocks and results of the user', () => {
  expect(anthropicHistory([github])).toEqual({
    system: null,
    data: [
      { role: 'user', content: 'Find the top GitHub repo for Swift and star it' },
      { role: 'assistant', content: "I'll search for the top Swift repository..." },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: 'call_1',
            name: 'github_search',
            input: { query: 'language:swift', sort: 'stars' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: '{"stars":65000}' }] },
      { role: 'assistant', content: 'Found it! Now let me star it for you...' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_2', name: 'github_star', input: { owner: 'apple', repo: 'swift' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_2', content: '{"success":true}' }] },
      { role: 'assistant', content: "Done! I've starred apple/swift - it has 65,000 stars!" },
    ],
  });
});

test('the history for Gemini has calls as model parts and results as function', () => {
  expect(geminiHistory([github])).toEqual({
    system: null,
    data: [
      { role: 'user', parts: [{ text: 'Find the top GitHub repo for Swift and star it' }] },
      { role: 'model', parts: [{ text: "I'll search for the top Swift repository..." }] },
      {
        role: 'model',
        parts: [{ functionCall: { name: 'github_search', args: { query: 'language:swift', sort: 'stars' } } }],
      },
      { role: 'function', parts: [{ functionResponse: { name: 'github_search', response: { stars: 65000 } } }] },
      { role: 'model', parts: [{ text: 'Found it! Now let me star it for you...' }] },
      { role: 'model', parts: [{ functionCall: { name: 'github_star', args: { owner: 'apple', repo: 'swift' } } }] },
      { role: 'function', parts: [{ functionResponse: { name: 'github_star', response: { success: true } } }] },
      { role: 'model', parts: [{ text: "Done! I've starred apple/swift - it has 65,000 stars!" }] },
    ],
  });
});

test('results of one batch share a message if the wire requires it', () => {
  const error = { category: 'unknown' as const, message: 'It broke', details: {} };
  const batch = makeRound(1, null, [
    { ...search, arguments: '' },
    {
      id: 'call_2',
      name: 'github_star',
      arguments: '[1]',
      result: { ...found, status: 'error', content: null, error },
    },
    { id: 'call_3', name: 'list_stars', result: { ...found, content: '[1, 2]' } },
  ]);
  const turns = [makeTurn({ rounds: [batch] })];
  const failed = 'Tool execution failed (unknown): It broke';

  expect(anthropicHistory(turns).data.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'call_1', name: 'github_search', input: {} },
        { type: 'tool_use', id: 'call_2', name: 'github_star', input: { invalid_arguments: '[1]' } },
        { type: 'tool_use', id: 'call_3', name: 'list_stars', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: 'ok' },
        { type: 'tool_result', tool_use_id: 'call_2', content: failed, is_error: true },
        { type: 'tool_result', tool_use_id: 'call_3', content: '[1, 2]' },
      ],
    },
  ]);
  expect(geminiHistory(turns).data.at(-1)).toEqual({
    role: 'function',
    parts: [
      { functionResponse: { name: 'github_search', response: { result: 'ok' } } },
      { functionResponse: { name: 'github_star', response: { error: failed } } },
      { functionResponse: { name: 'list_stars', response: { result: [1, 2] } } },
    ],
  });
});

test('the system prompt is separate on wires that require it', () => {
  const turns = [
    makeTurn({
      input: [
        { role: 'system', content: 'You live in Tokyo.' },
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Now in Kyoto.' },
      ],
    }),
  ];
  const later = 'System message, not written by the user:\nNow in Kyoto.';

  expect(openaiHistory(turns, 'Be brief.').map(({ role }) => role)).toEqual(['system', 'system', 'user', 'system']);
  expect(anthropicHistory(turns, 'Be brief.')).toEqual({
    system: 'Be brief.\n\nYou live in Tokyo.',
    data: [
      { role: 'user', content: 'Hi' },
      { role: 'user', content: later },
    ],
  });
  expect(geminiHistory(turns, 'Be brief.')).toEqual({
    system: 'Be brief.\n\nYou live in Tokyo.',
    data: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'user', parts: [{ text: later }] },
    ],
  });
});

test('items read as text in the stored history, and as calls on a wire', () => {
  const image = { type: 'input_image' as const, image_url: 'https://example.com/cat.png' };
  const items: InputItem[] = [
    { role: 'developer', content: 'Be kind.' },
    { role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, image] },
    { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"it"}' },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'A cat' }, image] },
    { type: 'opaque_state', provider: 'anthropic', state: {} },
  ];
  const turns = [makeTurn({ input: items })];

  expect(compactHistory(turns).map(({ role, content }) => [role, content])).toEqual([
    ['system', 'Be kind.'],
    ['user', [{ type: 'input_text', text: 'What is it?' }, image]],
    ['assistant', 'look({"at":"it"})'],
    ['system', 'call_1 answered: A cat\n[image]'],
  ]);
  expect(openaiHistory(turns)).toEqual([
    { role: 'system', content: 'Be kind.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: image.image_url } },
      ],
    },
    {
      role: 'assistant',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: `A cat\n[image] ${image.image_url}` },
  ]);
});
