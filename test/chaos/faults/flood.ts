import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosHarness } from '../open-harness.ts';
import { FLOOD } from '../projects.ts';
import { retryUntilDone } from '../retry-until-done.ts';
import type { Fault } from './fault.ts';

/** The turns of one flood, and the number of turns that are posted at the same time. */
const TURNS = 1_000;
const LANES = 25;

/** The bound of a flood that other faults delay. Its turns then end with all others. */
const LIMIT_MS = 40_000;
const TIMEOUT_MS = 5_000;
const POLL_MS = 100;

/** The flood has far more turns than may run, so the other project runs beside it until no turn waits. */
const TURN = {
  model: `openai/${FLOOD.model}`,
  input: JSON.stringify({ sim: { answer: 'One of many.', final: { think_ms: 60 } } }),
};

/** Posts more turns of another project at once than the project has slots. */
export const floodApi: Fault = async (harness, { number }) => {
  const until = Date.now() + LIMIT_MS;
  const left = Array.from({ length: TURNS }, (_, index) => `flood-${number}-${Date.now()}-${index}`);
  let posted = 0;
  let most = 0;
  const post = async () => {
    for (let key = left.pop(); key !== undefined && Date.now() < until; key = left.pop()) {
      if (await postOne(harness, key)) posted += 1;
      else left.push(key);
    }
  };
  const posting = Promise.all(Array.from({ length: LANES }, post)).then(() => 'posted');
  for (let isPosted = false; Date.now() < until; ) {
    const waiting = await countWaiting(harness);
    most = Math.max(most, waiting);
    if (isPosted && waiting === 0) break;
    isPosted = (await Promise.race([posting, sleep(POLL_MS)])) === 'posted';
    if (isPosted) await sleep(POLL_MS);
  }
  await posting;
  const evidence = most > FLOOD.max_active_turns ? `${posted} turns, of which up to ${most} waited` : null;
  return { evidence, endedAt: Date.now(), scope: 'none' };
};

/** Returns whether the turn was acknowledged. Each attempt asks another API. */
async function postOne({ apis }: ChaosHarness, key: string): Promise<boolean> {
  const api = apis[Math.floor(Math.random() * apis.length)];
  const headers = { authorization: `Bearer ${FLOOD.key}`, 'content-type': 'application/json', 'idempotency-key': key };
  const request = { method: 'POST', headers, body: JSON.stringify(TURN), signal: AbortSignal.timeout(TIMEOUT_MS) };
  try {
    const response = await fetch(`${api?.url}/v1/turns`, request);
    await response.text();
    if (response.status === 202) return true;
  } catch {
    // The API is down, as it may be for the load.
  }
  await sleep(POLL_MS);
  return false;
}

async function countWaiting({ sql }: ChaosHarness): Promise<number> {
  const [row] = await retryUntilDone(
    () =>
      sql<
        { count: number }[]
      >`select count(*)::int as count from work where slot = 'wanted' and project = ${FLOOD.name}`,
  );
  return row?.count ?? 0;
}
