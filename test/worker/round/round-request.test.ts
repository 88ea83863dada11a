import { expect, test } from 'vitest';
import { roundRequest } from '#core/llm/round-request.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import { makeTurn } from '#test/turn/make-turn.ts';

const requestOf = (own: Partial<TurnConfig>, round = 1) => {
  const turn = makeTurn({});
  return roundRequest({ ...turn, config: { ...turn.config, ...own } }, { kind: 'run-round', round, final: null }, []);
};

test('each round is asked with the sampling and the text format of its turn', () => {
  const textFormat = { type: 'json_schema', name: 'place', schema: { type: 'object' } } as const;
  const sampling = { top_p: 0, reasoning_effort: 'low', verbosity: 'high' } as const;

  const requests = [1, 2].map((round) => requestOf({ ...sampling, text_format: textFormat }, round));

  for (const request of requests) {
    expect(request).toMatchObject({ topP: 0, reasoningEffort: 'low', verbosity: 'high', textFormat });
  }
});

test('a turn without sampling settings, or from before them, sends no such settings', () => {
  const { top_p: _p, reasoning_effort: _e, verbosity: _v, ...before } = makeTurn({}).config;

  const request = requestOf(before);

  const none = { topP: null, reasoningEffort: null, verbosity: null, textFormat: null, reasoningSummary: null };
  expect(request).toMatchObject(none);
});

test('a request names the tier of its turn, except for the tier batch', () => {
  expect(requestOf({ service_tier: 'flex' }).serviceTier).toBe('flex');
  expect(requestOf({ service_tier: 'batch' }).serviceTier).toBeNull();
});
