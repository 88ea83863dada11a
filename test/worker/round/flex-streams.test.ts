import { expect } from 'vitest';
import { openStream } from '#test/api/stream/open-stream.ts';
import { UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';
import { openFlex, passPauses, run, start, test, tierChanges } from './flex-turns.ts';

const changed = { from: 'flex', to: 'default', because: 'refused', round: 1 };

test('a stream sends the change of tier, and then the reply on the new tier', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  const { id } = await start(harness, { tier_fallback: 'default' });
  const stream = await openStream(`${harness.url}/v1/turns/${id}/events`, {});

  await harness.workUntilIdle();
  await passPauses(harness, 2);
  await stream.over;

  const types = stream.seen.map(({ type }) => type);
  expect(types.filter((type) => type.includes('.changed'))).toEqual(['tier.changed']);
  expect(types.indexOf('tier.changed')).toBeLessThan(types.indexOf('round.completed'));
  expect(stream.seen.find(({ type }) => type === 'tier.changed')?.data).toMatchObject({ ...changed, turn_id: id });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Hello.' });
});

test('a stream that begins after the end also sends the change of tier', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  const { id } = await run(harness, { tier_fallback: 'default' });
  await passPauses(harness, 2);

  const stream = await openStream(`${harness.url}/v1/turns/${id}/events`, { after: 0 });
  await stream.over;

  expect(stream.seen.filter(({ type }) => type === 'tier.changed').map(({ data }) => data)).toMatchObject([changed]);
  const numbers = (await harness.listEvents(id)).map(({ sequence_number }) => sequence_number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

test.each(['ui-stream', 'response'])('the %s of a turn that changes its tier has no break', async (form) => {
  await using opened = await openFlex();
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE);
  const { id } = await start(harness, { tier_fallback: 'default' });
  const paths: Record<string, string> = {
    'ui-stream': `/v1/turns/${id}/ui-stream`,
    response: `/v1/responses/${id.replace('turn_', 'resp_')}?stream=true`,
  };
  const stream = await openStream(`${harness.url}${paths[form]}`, {});

  await harness.workUntilIdle();
  await passPauses(harness, 2);
  await stream.over;

  expect(JSON.stringify(stream.seen)).toContain('Hello.');
  expect(stream.seen.some(({ type, data }) => type === 'error' || data.type === 'error')).toBe(false);
  expect(await tierChanges(harness, id)).toHaveLength(1);
});

test('a turn that waits for flex reports since when and until when it waits', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 1);
  const { id } = await run(harness);

  const { body } = await harness.call<{ waiting: { until: string; since: string } }>('GET', `/v1/turns/${id}`);

  expect(body).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect(Date.parse(body.waiting.until)).toBeGreaterThan(Date.parse(body.waiting.since));
});
