import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { rankStores } from '../rank-stores.ts';
import type { TurnWakeup } from '../turn/wakeup.ts';
import { type JobQueue, type StoreStatus, sumCounts } from './job-queue.ts';
import { readHandOver, workStores } from './work-stores.ts';

/** A queue on one of several stores. `failure` returns the last failure of its connections. */
export type JobStore = { address: string; jobQueue: JobQueue; isOpen(): boolean; failure(): unknown };

const PAUSE_MS = 5_000;

/** The time for which a store's refusal of the last job is reported, if no later job shows that it is over. */
const REFUSED_FOR_MS = 70_000;

const ANSWER_MS = 2_000;

/**
 * Spreads a queue over several stores. Each turn has its own order of stores. Workers take jobs from all stores. Lost
 * jobs are due again.
 */
export function spreadJobs(given: JobStore[]): JobQueue {
  const stores = given.map(trackRefusals);
  /**
   * Adds a job to the first store that takes it. A job that may have arrived is not given to the next store, since it
   * would run twice.
   */
  async function add(wakeup: TurnWakeup): Promise<void> {
    let refusal: unknown = new Failure('queue_unavailable', NONE_OPEN);
    for (const store of rankedFor(wakeup, stores)) {
      if (!store.isOpen()) continue;
      const error = await store.track(store.jobQueue.enqueue([wakeup]));
      if (error === null) return;
      refusal = error;
      if (!isRefusal(error)) break;
    }
    throw refusal;
  }
  const addAll = async (wakeups: TurnWakeup[]) => void (await Promise.all(wakeups.map(add)));
  const open = () => stores.filter((store) => store.isOpen());

  return {
    enqueue: addAll,
    enqueueBeforeAck: async (wakeups, handsOver = null) => {
      const to = handsOver === null ? null : readHandOver(handsOver);
      const own = to ? stores[to.index] : undefined;
      const here = wakeups.filter((wakeup) => own?.isUp() && rankedFor(wakeup, stores)[0] === own);
      // The acknowledgement is sent to the job's own store, so it waits for the jobs that other stores take.
      const elsewhere = addAll(wakeups.filter((wakeup) => !here.includes(wakeup)));
      await elsewhere.catch(() => {});
      if (!own || here.length === 0) return { arrived: elsewhere };
      const { arrived } = await own.jobQueue.enqueueBeforeAck(here, to?.queue);
      void own.track(arrived);
      return { arrived: Promise.all([elsewhere, arrived]).then(() => {}) };
    },
    work: (queues, handle, concurrency) => workStores(stores, { queues, handle, concurrency }),
    workOnce: async (queues, handle) => {
      for (const { jobQueue } of open()) if (await jobQueue.workOnce(queues, handle)) return true;
      return false;
    },
    count: async (queues) => {
      const asked = open().length > 0 ? open() : stores;
      return sumAnswered(await Promise.allSettled(asked.map(({ jobQueue }) => inTime(jobQueue.count(queues)))));
    },
    check: async () => {
      const found = await Promise.all(stores.map(statusOf));
      const [first] = found;
      if (first?.kind === 'away' && found.every(({ kind }) => kind === 'away')) throw first.error;
      return found;
    },
    close: async () => void (await Promise.all(stores.map(({ jobQueue }) => jobQueue.close()))),
  };
}

type TrackedStore = ReturnType<typeof trackRefusals>;

/** Tracks the last refusal of a store, until it takes a job. */
function trackRefusals(store: JobStore) {
  let last: { error: unknown; at: number } | null = null;
  const isWithin = (ms: number) => last !== null && performance.now() - last.at < ms;
  return {
    ...store,
    isUp: () => store.isOpen() && !isWithin(PAUSE_MS),
    refusal: () => (last && isRefusal(last.error) && isWithin(REFUSED_FOR_MS) ? last.error : null),
    track: (enqueuing: Promise<void>): Promise<unknown> =>
      enqueuing.then(
        () => {
          last = null;
          return null;
        },
        (error: unknown) => {
          last = { error, at: performance.now() };
          return error;
        },
      ),
  };
}

/**
 * Returns the stores in the order of a turn, so that the same store takes all its jobs. Stores that are up are first.
 */
function rankedFor(wakeup: TurnWakeup, stores: TrackedStore[]): TrackedStore[] {
  const ranked = rankStores(stores, wakeup.turnId);
  const up = ranked.filter((store) => store.isUp());
  return [...up, ...ranked.filter((store) => !up.includes(store))];
}

/**
 * Returns whether the store itself has refused: no memory, no disk, a replica. After any other error, the job may
 * have arrived.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

async function statusOf(store: TrackedStore): Promise<StoreStatus> {
  const { address, jobQueue } = store;
  const away = (error: unknown) => ({ address, kind: 'away' as const, error });
  if (!store.isOpen()) return away(store.failure());
  if (store.refusal() !== null) return away(store.refusal());
  return inTime(jobQueue.check()).then(([status]) => status ?? { address, kind: 'well' }, away);
}

/** Returns the sum of the counts of all stores that answered. Throws if none did. */
function sumAnswered(answers: PromiseSettledResult<Record<string, number>>[]): Record<string, number> {
  const counts = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const [first] = answers;
  if (first?.status === 'rejected' && counts.length === 0) throw first.reason;
  return sumCounts(counts);
}

function inTime<Value>(asking: Promise<Value>): Promise<Value> {
  const late = sleep(ANSWER_MS, undefined, { ref: false }).then(() => {
    throw new Failure('queue_unavailable', LATE);
  });
  return Promise.race([asking, late]);
}

const NONE_OPEN = 'No Redis of REDIS_URL accepts jobs now. The job will be enqueued again.';
const LATE = 'The Redis did not answer in time.';
