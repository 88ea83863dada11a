import { expect } from 'vitest';
import type { LiveEvent } from '#core/turn/event.ts';
import { openStream } from '#test/api/stream/open-stream.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const hangs = { kind: 'hang' as const, after_chars: 12 };
const tools = ['weather_lookup'];
const INTERNAL = ['draft', 'reasoning_length', 'refusal_from'];

test('after a run is lost within its text, the next run has another draft number', async ({ harness }) => {
  const input = scripted({ piece_chars: 4, answer: 'Once and again.', final: { fault: { ...hangs, times: 1 } } });
  const { id, live } = await startWatched(harness, { input });
  const lost = harness.workOnce();
  await waitUntil(() => expect(textOf(live, 0)).toContain('Once'));

  await harness.advance(7_000);
  await harness.rescue();
  await harness.workOnce();
  harness.worker.heartbeat.stop('lost', id);
  await lost;

  expect(await draftsOf(harness)).toEqual([1]);
  // Published texts arrive on another connection. No write waits for them.
  await waitUntil(() => expect(textOf(live, 1)).toBe('Once and again.'));
  expect('Once and again.'.startsWith(textOf(live, 0))).toBe(true);
});

test('two runs of a job without a lease never publish under the same draft number', async ({ harness }) => {
  const { id, live } = await startSecondRound(harness, { fault: { ...hangs, times: 2 } }, 'unseen');
  const job = { name: 'run-round' as const, data: { turnId: id, step: 'r2', generation: 0 } };

  const runs = [harness.handle(job), harness.handle(job)];
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(3));
  await watch(harness, id);
  await waitUntil(() => expect(textOf(live, 0)).toBe('Second answe'));
  harness.worker.heartbeat.stop('lost', id);
  await Promise.all(runs);

  const drafts = new Set(live.filter(isText).map((event) => 'draft' in event && event.draft));
  expect(drafts).toEqual(new Set([0]));
});

test('a run takes no lease without a watcher, and takes a lease when a client watches', async ({ harness }) => {
  const unseen = await startSecondRound(harness, {}, 'unseen');
  await harness.workUntilIdle();
  const seen = await startSecondRound(harness, { think_ms: 200 });
  await harness.workUntilIdle();

  expect(unseen.live).toEqual([]);
  await waitUntil(() => expect(textOf(seen.live, 0)).toBe('Second answer.'));
  expect((await harness.findTurn(seen.id)).status).toBe('completed');
  expect(await draftsOf(harness)).toEqual([0, 0, 0, 0]);
});

test.for([
  { fault: { kind: 'status' as const, status: 429, retry_after: 1, times: 1 }, draft: 0 },
  { fault: { kind: 'status' as const, status: 503, retry_after: 1, times: 1 }, draft: 0 },
  { fault: { kind: 'cut' as const, after_chars: 8, times: 1 }, draft: 1 },
])('the next attempt after $fault.kind $fault.status has draft $draft', async ({ fault, draft }) => {
  await using harness = await createHarness();
  const input = scripted({ answer: 'At long last.', final: { fault }, piece_chars: 4 });
  const { live } = await startWatched(harness, { input });

  await harness.workOnce();
  const turn = await harness.db.selectFrom('turn_states').select(['draft', 'generation']).executeTakeFirst();

  expect(turn).toEqual({ draft, generation: 1 });
  await waitUntil(() => expect(live.some(isText)).toBe(draft === 1));
});

test.for([
  { after: 0, draft: 0, what: 'before its first piece' },
  { after: 12, draft: 1, what: 'after a piece' },
])('after a hand-back for a deploy $what, the next attempt has draft $draft', async ({ after, draft }) => {
  await using harness = await createHarness();
  const fault = { kind: 'hang' as const, ...(after > 0 && { after_chars: after }) };
  const { live } = await startWatched(harness, {
    input: scripted({ answer: 'Once and again.', piece_chars: 4, final: { fault } }),
  });
  const working = harness.workOnce();
  await waitUntil(() => expect(harness.modelRequests.length > 0 && live.some(isText) === after > 0).toBe(true));

  harness.worker.heartbeat.stop('shutdown');
  await working;

  expect(await harness.db.selectFrom('turn_states').select('draft').executeTakeFirst()).toEqual({ draft });
});

test('a round keeps its reasoning, and live events report the length of the reasoning', async ({ harness }) => {
  const first = { piece_chars: 4, pace_ms: 30, reasoning: 'They want Tokyo.', say: 'Let me look.', tools: [look] };
  const input = scripted({ rounds: [first], answer: 'Sunny.', final: { think_ms: 100 } });
  const { live, stream } = await startWatched(harness, { input, tools });

  await harness.workUntilIdle();
  await stream.over;
  const rounds = await harness.db
    .selectFrom('rounds')
    .select(['reasoning', 'refusal_from'])
    .orderBy('number')
    .execute();

  expect(rounds).toEqual([
    { reasoning: 'They want Tokyo.', refusal_from: null },
    { reasoning: null, refusal_from: null },
  ]);
  const lengths = () =>
    live.flatMap((event) => (isText(event) && 'reasoning_length' in event ? [event.reasoning_length] : []));
  await waitUntil(() => expect(new Set(lengths())).toEqual(new Set(['They want Tokyo.'.length, 0])));
  expect(stream.seen.some(({ type }) => type === 'reasoning.delta')).toBe(true);
  expect(stream.seen.filter(({ data }) => INTERNAL.some((field) => field in data))).toEqual([]);
});

/** Starts a turn that a client watches. `live` has the events that the worker publishes of the turn. */
async function startWatched(harness: Harness, request: { input: string; tools?: string[] }) {
  const { id } = await harness.startTurn(request);
  return { id, ...(await watch(harness, id)) };
}

async function watch(harness: Harness, id: string) {
  const live = listen(harness, id);
  const stream = await openStream(`${harness.url}/v1/turns/${id}/events`, {});
  await harness.untilReceived('catch-up', id);
  return { live, stream };
}

function listen(harness: Harness, id: string): LiveEvent[] {
  const live: LiveEvent[] = [];
  harness.parts.pubsub.subscribeToEvents(id, (event) => live.push(event));
  return live;
}

/** Returns a turn with a due second round, which a run may start without a lease. */
async function startSecondRound(harness: Harness, final: object, watched = 'watched') {
  const input = scripted({ piece_chars: 1, rounds: [{ tools: [look] }], answer: 'Second answer.', final });
  const { id } = await harness.startTurn({ input, tools });
  await harness.workOnce();
  await harness.workOnce();
  return watched === 'watched' ? { id, ...(await watch(harness, id)) } : { id, live: listen(harness, id) };
}

function isText(event: LiveEvent): boolean {
  return event.type === 'output_text.delta';
}

/** Returns the text that was published under a draft number, joined as a watcher does it. */
function textOf(live: LiveEvent[], draft: number): string {
  return live.reduce((text, event) => {
    if (event.type !== 'output_text.delta' || event.draft !== draft) return text;
    return text.slice(0, event.offset) + event.delta;
  }, '');
}

async function draftsOf({ db }: Harness): Promise<number[]> {
  const rows = await db.selectFrom('rounds').select('draft').orderBy('turn_id').orderBy('number').execute();
  return rows.map(({ draft }) => Number(draft));
}
