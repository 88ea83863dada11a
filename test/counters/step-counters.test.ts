import { expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { PLAIN_WORK, turnRequestOf } from '../../bench/work.ts';
import { BOUNDS, HOT_SHARE } from './bounds.ts';
import { openCountedPostgres, type Totals } from './counted-postgres.ts';

const TOOLS = new URL('../../bench/tools.ts', import.meta.url).pathname;
/** Turns that open sessions and prepare statements. */
const WARM_UP = 2;
const TURNS = 10;

describeQueues(({ name, redis }) => {
  test('the counters of a step stay within their bounds', async () => {
    await using postgres = await openCountedPostgres();
    await using harness = await createHarness({ redis, env: { DATABASE_URL: postgres.url, PAWL_TOOLS: TOOLS } });
    await playTurns(harness, WARM_UP);

    const before = await postgres.readTotals();
    await playTurns(harness, TURNS);
    const counters = eachTurn(before, await postgres.readTotals());

    console.log(`${name}: a turn takes ${JSON.stringify(counters)}`);
    expect(overBounds(counters, redis ? BOUNDS.redis : BOUNDS.postgres)).toEqual([]);
  });
});

test.for(Object.entries(HOT_SHARE))('most updates of %s are HOT: they change no index', async ([table, least]) => {
  await using postgres = await openCountedPostgres();
  await playOn(postgres.url);

  const { all, hot } = await postgres.readUpdates(table);

  console.log(`${table}: ${hot} of ${all} updates are HOT`);
  expect(hot).toBeGreaterThanOrEqual(all * least);
  expect(all).toBeGreaterThan(0);
});

/** Plays turns, and ends the sessions that did. */
async function playOn(url: string): Promise<void> {
  await using harness = await createHarness({ env: { DATABASE_URL: url, PAWL_TOOLS: TOOLS } });
  await playTurns(harness, TURNS);
}

async function playTurns(harness: Harness, turns: number): Promise<void> {
  for (let played = 0; played < turns; played += 1) {
    const { id } = await harness.startTurn(turnRequestOf(PLAIN_WORK));
    while (await harness.workOnce());
    expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
  }
}

function eachTurn(before: Totals, after: Totals): Totals {
  return {
    statements: (after.statements - before.statements) / TURNS,
    walBytes: (after.walBytes - before.walBytes) / TURNS,
    buffers: (after.buffers - before.buffers) / TURNS,
  };
}

function overBounds(counters: Totals, bounds: Totals): string[] {
  const names = ['statements', 'walBytes', 'buffers'] as const;
  return names
    .filter((name) => counters[name] > bounds[name])
    .map((name) => `${name}: ${counters[name]} where ${bounds[name]} is the bound`);
}
