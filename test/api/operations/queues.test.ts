import { connectPawl } from 'pawl/client';
import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';

const limited = scripted({ final: { fault: { kind: 'status', status: 429, retry_after: 30 } } });

describeQueue(({ redis }) => {
  test('each queue reports its waiting jobs', async () => {
    await using harness = await createHarness({ redis });
    const pawl = connectPawl({ baseUrl: harness.url });
    await harness.startTurn({ input: 'Hi' });
    await harness.startTurn({ input: 'Ho' });

    const queues = await pawl.queues();

    const none = { object: 'queue', waiting: 0, active: 0, rate_limited_until: null };
    expect(queues).toEqual(
      expect.arrayContaining([
        { ...none, name: 'turns-openai', provider: 'openai', waiting: 2 },
        { ...none, name: 'anytime', provider: null },
        { ...none, name: 'deliveries', provider: null },
      ]),
    );
  });
});

test('a queue with turns that wait for a rate limit reports its end', async () => {
  await using harness = await createHarness();
  const pawl = connectPawl({ baseUrl: harness.url });
  const { id } = await harness.startTurn({ input: limited });
  await harness.workUntilIdle();

  const queues = await pawl.queues();

  const { waiting } = await harness.findTurn(id);
  expect(waiting).toMatchObject({ for: 'provider' });
  const [limitedQueue, ...others] = queues.toSorted((queue) => (queue.provider === 'openai' ? -1 : 1));
  expect(limitedQueue?.rate_limited_until).toBe(waiting?.until);
  expect(others.map((queue) => queue.rate_limited_until)).toEqual(others.map(() => null));
});
