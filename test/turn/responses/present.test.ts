import { expect, test } from 'vitest';
import type { ResponseRequest } from '#core/turn/request/response.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import type { Turn } from '#core/turn/turn.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { makeRound, makeTurn } from '../make-turn.ts';

const FIELDS = [
  ...['id', 'object', 'created_at', 'completed_at', 'status', 'incomplete_details', 'model', 'previous_response_id'],
  ...['instructions', 'output', 'error', 'tools', 'tool_choice', 'truncation', 'parallel_tool_calls', 'text', 'top_p'],
  ...['presence_penalty', 'frequency_penalty', 'top_logprobs', 'temperature', 'reasoning', 'usage'],
  ...['max_output_tokens', 'max_tool_calls', 'store', 'background', 'service_tier', 'metadata', 'safety_identifier'],
  ...['prompt_cache_key', 'conversation', 'user'],
].sort();

const asked: ResponseRequest = {
  ...{ model: 'gpt-4.1', background: false, previous_response_id: null, conversation: null, instructions: 'Be brief.' },
  ...{ tools: [], tool_choice: 'auto', parallel_tool_calls: true, max_tool_calls: null, max_output_tokens: 100 },
  ...{ temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
  text: { format: { type: 'text' }, verbosity: null },
  reasoning: { effort: null, summary: null },
  ...{ service_tier: 'auto', include: [], user: null, safety_identifier: null, prompt_cache_key: null },
};

const respond = (turn: Partial<Turn> = {}, own: Partial<ResponseRequest> = {}) =>
  presentResponse({ ...makeTurn(), config: { ...plainConfig, response: { ...asked, ...own } }, ...turn });

test('a response has exactly the fields of the resource in each status', () => {
  const error = { type: 'provider_error' as const, code: 'quota_exceeded', message: 'No more.', retryable: false };
  const turns: Partial<Turn>[] = [
    { status: 'queued' },
    { status: 'in_progress' },
    { status: 'completed', output: 'Hi', rounds: [makeRound(1, null)], completedAt: '2026-11-20T10:00:01.900Z' },
    { status: 'failed', error },
    { status: 'cancelled' },
  ];

  for (const turn of turns) expect(Object.keys(respond(turn)).sort()).toEqual(FIELDS);
  expect(Object.keys(presentResponse(makeTurn())).sort(), 'of a native turn').toEqual(FIELDS);
});

test('times are Unix seconds, and usage is the sum of the rounds', () => {
  const usage = {
    input_tokens: 7,
    output_tokens: 5,
    total_tokens: 12,
    cached_input_tokens: 2,
    cache_write_tokens: 0,
    reasoning_tokens: 1,
  };
  const rounds = [{ ...makeRound(1, null), usage }];
  const completedAt = '2026-11-20T10:00:01.900Z';

  expect(respond({ status: 'in_progress', rounds })).toMatchObject({ created_at: 1795168800, usage: null });
  expect(respond({ status: 'completed', rounds, output: 'Hi', completedAt })).toMatchObject({
    completed_at: 1795168801,
    usage: {
      ...{ input_tokens: 7, output_tokens: 5, total_tokens: 12 },
      ...{ input_tokens_details: { cached_tokens: 2 }, output_tokens_details: { reasoning_tokens: 1 } },
    },
  });
});

test('the request of the caller is shown, with the model name as sent', () => {
  const shown = respond({}, { conversation: 'conv_1', text: { format: { type: 'text' }, verbosity: 'low' } });

  expect(shown).toMatchObject({ model: 'gpt-4.1', instructions: 'Be brief.', max_output_tokens: 100 });
  expect(shown).toMatchObject({ conversation: { id: 'conv_1' }, text: { verbosity: 'low' }, service_tier: 'default' });
});

test('only a background response can be queued', () => {
  expect(respond({ status: 'queued' }).status).toBe('in_progress');
  expect(respond({ status: 'queued' }, { background: true }).status).toBe('queued');
  expect(presentResponse(makeTurn({ status: 'requires_action' })).status).toBe('in_progress');
});

test.each([
  ['provider_rate_limited', 'rate_limit_exceeded'],
  ['quota_exceeded', 'rate_limit_exceeded'],
  ['provider_invalid_request', 'invalid_prompt'],
  ['context_length_exceeded', 'invalid_prompt'],
  ['provider_unavailable', 'server_error'],
])('a turn that failed with %s is a response with the error %s', (type, code) => {
  const error = { type: 'provider_error' as const, code: type, message: 'What to do.', retryable: false };

  expect(respond({ status: 'failed', error }).error).toEqual({ code, type, message: 'What to do.' });
});

test('a turn that stopped early shows the reason and an incomplete message', () => {
  const rounds = [{ ...makeRound(1, null), finishReason: 'length' as const }];
  const shown = respond({ status: 'incomplete', incompleteReason: 'max_output_tokens', output: 'Half', rounds });

  expect(shown).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  expect(shown.completed_at).toBeNull();
  expect(shown.output).toMatchObject([{ type: 'message', status: 'incomplete', content: [{ text: 'Half' }] }]);
});

test('a refusal is completed, with the refusal as a part after the text', () => {
  const rounds = [{ ...makeRound(1, null), finishReason: 'refusal' as const, refusalFrom: 5 }];
  const shown = respond({ status: 'incomplete', incompleteReason: 'content_filter', output: 'Well, no.', rounds });

  expect(shown).toMatchObject({ status: 'completed', incomplete_details: null });
  expect(shown.output).toMatchObject([
    {
      status: 'completed',
      content: [
        { type: 'output_text', text: 'Well,' },
        { type: 'refusal', refusal: ' no.' },
      ],
    },
  ]);
});

test('a filtered reply without a refusal is incomplete', () => {
  const rounds = [{ ...makeRound(1, null), finishReason: 'content_filter' as const }];

  expect(respond({ status: 'incomplete', incompleteReason: 'content_filter', output: '', rounds })).toMatchObject({
    ...{ status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] },
  });
});
