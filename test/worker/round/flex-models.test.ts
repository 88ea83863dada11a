import { expect } from 'vitest';
import { UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';
import { MODEL, OTHER, openFlex, passPauses, passTime, rowOf, run, test, tierChanges } from './flex-turns.ts';

const wrongKey = { status: 401, error: { message: 'Wrong key.', code: 'invalid_api_key' } };
const changesOf = (events: Record<string, unknown>[]) => events.filter(({ type }) => type === 'model.changed');

test('a round with tier_fallback changes its tier before it changes its model', async ({ harness, server, other }) => {
  server.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness, { tier_fallback: 'default', fallback_models: [OTHER] });
  await passPauses(harness, 2);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ model: MODEL }] });
  expect(server.tiers()).toEqual(['flex', 'flex', 'flex', 'default']);
  expect(other.asked).toEqual([]);
});

test('a model that fails on default after a change is replaced by the next model', async ({
  harness,
  server,
  other,
}) => {
  server.refuse('flex', UNAVAILABLE);
  server.refuse('default', wrongKey);

  const { id } = await run(harness, { tier_fallback: 'default', fallback_models: [OTHER] });
  await passPauses(harness, 2);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Other here.' });
  expect(other.asked).toHaveLength(1);
  expect(changesOf(await harness.listEvents(id))).toMatchObject([{ from: MODEL, to: OTHER }]);
  expect(await tierChanges(harness, id)).toHaveLength(1);
});

test('a model that refuses its key on flex is replaced by the next model at once', async ({
  harness,
  server,
  other,
}) => {
  server.refuse('flex', wrongKey);

  const turn = await run(harness, { fallback_models: [OTHER] });

  expect(turn).toMatchObject({ status: 'completed', rounds: [{ model: OTHER, service_tier: 'flex' }] });
  expect(other.tiers()).toEqual(['flex']);
});

test('refusals of the first model do not count for the next model', async ({ harness, server, other }) => {
  server.refuse('flex', UNAVAILABLE, 2);
  other.refuse('flex', UNAVAILABLE, 2);
  const { id } = await run(harness, { tier_fallback: 'default', fallback_models: [OTHER] });
  await passTime(harness);
  server.refuse('flex', wrongKey);

  await passPauses(harness, 3);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ model: OTHER }] });
  expect(other.tiers()).toEqual(['flex', 'flex', 'flex']);
  expect(await tierChanges(harness, id)).toEqual([]);
});

test('a summary of a turn on flex waits for capacity without an attempt', async () => {
  await using opened = await openFlex({ reply: () => ({ text: ['A long answer. '.repeat(300)] }) });
  const { harness, server } = opened;
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const first = await run(harness, { context });
  const path = `/v1/conversations/${first.conversation_id}/turns`;
  const say = async () => {
    const body = { model: MODEL, input: 'And?', service_tier: 'flex', context };
    const { body: turn } = await harness.call<{ id: string }>('POST', path, { body });
    await harness.workUntilIdle();
    return turn.id;
  };
  await say();
  server.refuse('flex', UNAVAILABLE, 1);

  const id = await say();
  const row = await rowOf(harness, id);
  await passPauses(harness, 2);

  expect(row).toMatchObject({ attempts: 0, waited_ms: 0 });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
});
