import { countQueuedTurns, lockQueuedTurns, withinSavepoint } from '#core/checkpoint/limits/queued-turns.ts';
import type { Db, Trx } from '#core/checkpoint/tables.ts';

/** A project with the limit of its queued turns. */
export type BoundProject = { name: string; maxQueuedTurns: number };

/** Starts a turn in a transaction. If it `standsAlone`, it locks no existing rows and queues at most a single turn. */
export type Start<Result> = {
  standsAlone: boolean;
  make(trx: Trx): Promise<Result>;
  /** Returns whether a turn was queued, and not replayed. */
  isNew(result: Result): boolean;
};

/** The started turn, and how many more turns may be queued. Null: the turn exceeded the limit and is undone. */
export type Admitted<Result> = { result: Result; remaining: number } | null;

/** Starts turns of projects with a limit of queued turns. */
export type StartQueue = <Result>(project: BoundProject, start: Start<Result>) => Promise<Admitted<Result>>;

type Waiting = { start: Start<unknown>; resolve(admitted: Admitted<unknown>): void; reject(error: unknown): void };

/** The maximum number of starts in a transaction, because they hold the project's lock until all are done. */
const MAX_BATCH = 32;

/**
 * Runs a queue for each project, with one transaction at a time in this process: waiting in the database would use
 * connections that other projects need. Waiting starts that lock no existing rows share a transaction with its lock,
 * count and commit.
 */
export function makeStartQueue(db: Db): StartQueue {
  const queues = new Map<string, Waiting[]>();

  async function work(project: BoundProject, queue: Waiting[]): Promise<void> {
    queues.set(project.name, queue);
    while (queue.length > 0) await startTogether(db, project, takeBatch(queue));
    queues.delete(project.name);
  }
  return <Result>(project: BoundProject, start: Start<Result>) =>
    new Promise<Admitted<Result>>((resolve, reject) => {
      const queue = queues.get(project.name) ?? [];
      queue.push({ start, resolve, reject } as Waiting);
      if (!queues.has(project.name)) void work(project, queue);
    });
}

/** Takes the first start, and the starts after it that lock no existing rows either. */
function takeBatch(queue: Waiting[]): Waiting[] {
  const others = queue.findIndex(({ start }, index) => index >= MAX_BATCH || !start.standsAlone);
  return queue.splice(0, others === -1 ? queue.length : Math.max(1, others));
}

type Outcome = { admitted: Admitted<unknown> } | { error: unknown };

/** Settles each start of a batch after the commit of all. */
async function startTogether(db: Db, project: BoundProject, batch: Waiting[]): Promise<void> {
  try {
    const outcomes = await db.transaction().execute((trx) => startAll(trx, project, batch));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome && 'admitted' in outcome) resolve(outcome.admitted);
      else reject(outcome?.error);
    }
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

async function startAll(trx: Trx, { name, maxQueuedTurns: most }: BoundProject, batch: Waiting[]): Promise<Outcome[]> {
  await lockQueuedTurns(trx, name);
  const count = () => countQueuedTurns(trx, name, most + 1);
  const [first] = batch;
  // The rest of the work may make room, so all turns are counted again after it.
  if (first && !first.start.standsAlone) return [await admit(trx, first, async () => most - (await count()))];
  let queued = await count();
  const outcomes: Outcome[] = [];
  for (const waiting of batch) {
    const outcome = await admit(trx, waiting, (isNew) => most - queued - (isNew ? 1 : 0));
    if ('admitted' in outcome && outcome.admitted) queued = most - outcome.admitted.remaining;
    outcomes.push(outcome);
  }
  return outcomes;
}

class OneTooMany extends Error {}

async function admit(
  trx: Trx,
  { start }: Waiting,
  remainingAfter: (isNew: boolean) => number | Promise<number>,
): Promise<Outcome> {
  try {
    const admitted = await withinSavepoint(trx, async () => {
      const result = await start.make(trx);
      const isNew = start.isNew(result);
      const remaining = await remainingAfter(isNew);
      if (isNew && remaining < 0) throw new OneTooMany();
      return { result, remaining };
    });
    return { admitted };
  } catch (error) {
    return error instanceof OneTooMany ? { admitted: null } : { error };
  }
}
