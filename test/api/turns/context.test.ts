import { expect } from 'vitest';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import { test } from '#test/harness/test.ts';

const summarize = { strategy: 'summarize' };

test.for([
  ['an unknown strategy', { strategy: 'forget' }, 'invalid_value', 'context.strategy'],
  ['no strategy', { max_input_tokens: 8_000 }, 'invalid_value', 'context.strategy'],
  ['too small a window', { ...summarize, max_input_tokens: 999 }, 'invalid_value', 'context.max_input_tokens'],
  ['no rounds to keep', { ...summarize, keep_last_rounds: 0 }, 'invalid_value', 'context.keep_last_rounds'],
  ['half a round to keep', { ...summarize, keep_last_rounds: 1.5 }, 'invalid_value', 'context.keep_last_rounds'],
  ['a model without a provider', { ...summarize, model: 'gpt-4.1' }, 'invalid_value', 'context.model'],
  ['a model of an unknown provider', { ...summarize, model: 'nowhere/m' }, 'provider_not_configured', 'context.model'],
  ['an unknown field', { ...summarize, keep: 4 }, 'unknown_field', 'context.keep'],
] as const)('%s in a context is refused with its path', async ([, context, code, param], { harness }) => {
  for (const path of ['/v1/turns', '/v1/conversations']) {
    const body = { model: 'openai/test', context, ...(path === '/v1/turns' && { input: 'Hi' }) };
    const answer = await harness.call('POST', path, { body });
    expect(answer).toMatchObject({ status: 400, body: { error: { code, param } } });
  }
});

test('a turn inherits its conversation’s context unless it has its own context', async ({ harness }) => {
  const standing = { model: 'openai/test', context: { ...summarize, max_input_tokens: 8_000 } };
  const { body: conversation } = await harness.call('POST', '/v1/conversations', { body: standing });
  const path = `/v1/conversations/${conversation.id}/turns`;
  const contextOf = async (own: object) => {
    const { body } = await harness.call('POST', path, { body: { input: 'Hi', ...own } });
    const { config } = await harness.db
      .selectFrom('turns')
      .select('config')
      .where('id', '=', String(body.id))
      .executeTakeFirstOrThrow();
    return (config as TurnConfig).context;
  };

  expect(await contextOf({})).toEqual({ ...standing.context, keep_last_rounds: 4, model: null });
  expect(await contextOf({ context: { strategy: 'drop_tool_results', keep_last_rounds: 2 } })).toEqual({
    ...{ strategy: 'drop_tool_results', max_input_tokens: null, keep_last_rounds: 2, model: null },
  });
  expect(await contextOf({ context: { strategy: 'none' } })).toBeUndefined();
  expect(await contextOf({ context: null })).toBeUndefined();
});
