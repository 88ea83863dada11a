import { sql } from 'kysely';
import { createHarness, type Harness, type HarnessOptions, letTimePass } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

export const MODEL = 'openai/gpt-6';
export const HOUR_MS = 3_600_000;
export const answer = 'It is sunny in Tokyo.';

const env = {
  OPENAI_WIRE: 'responses',
  OPENAI_BACKGROUND: '1',
  PAWL_PRICES: JSON.stringify({ [MODEL]: { input: 1, output: 10 } }),
};

export const test = testWith({ env });

type More = Record<string, string> | ((modelUrl: string) => Record<string, string>);

/** Opens a harness with more variables, which may depend on the address of the model. */
export function openBackground(more: More = {}, options: HarnessOptions = {}): Promise<Harness> {
  return createHarness({
    ...options,
    env: (modelUrl) => ({ ...env, ...(typeof more === 'function' ? more(modelUrl) : more) }),
  });
}

/** A script whose answer pauses after its first characters until the test skips the delay. */
export const paused = { answer, piece_chars: 4, final: { background: { pause_after_chars: 8, pause_ms: HOUR_MS } } };

/** Starts a turn of a script, without running it. */
export function start(harness: Harness, script: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return harness.startTurn({ model: MODEL, input: scripted(script), tools: ['weather_lookup'], ...more });
}

/** Runs one job until the model pauses within its response. Returns the id of the response and the running job. */
export async function runUntilPaused(harness: Harness): Promise<{ response: string; running: Promise<unknown> }> {
  const known = new Set((await rowsOf(harness)).map(({ id }) => id));
  const running = harness.workOnce();
  const response = await waitUntil(async () => {
    const row = (await rowsOf(harness)).find(({ id }) => !known.has(id));
    return row?.id ?? false;
  });
  return { response, running };
}

/** Loses the worker of a turn in the middle of its step, and lets another worker find the turn. */
export async function loseWorker(harness: Harness, turnId: string, running: Promise<unknown>): Promise<void> {
  harness.worker.heartbeat.stop('lost', turnId);
  await running;
  await harness.advance(20_000);
  await harness.rescue();
}

/** Lets time pass until the next poll of a round, and polls. */
export function pollOnce(harness: Harness): Promise<void> {
  return letTimePass(harness, 20_000);
}

/** Returns the rows of responses at providers. */
export async function rowsOf({ db }: Harness) {
  const { rows } = await sql<{ id: string; state: string; turn_id: string }>`
    select id, state, turn_id from background_responses order by created_at`.execute(db);
  return rows;
}

/** Lets the worker close responses, with the times between its looks. */
export async function closeAll(harness: Harness, looks = 3): Promise<void> {
  for (let look = 0; look < looks; look += 1) {
    await harness.closeResponses();
    await harness.advance(3_600_000);
  }
}
