import type { Db } from '#core/checkpoint/database.ts';
import { isPassing } from '#core/checkpoint/persist.ts';
import { probeDisk } from '#core/checkpoint/probe-disk.ts';
import { countWorkers } from '#core/checkpoint/workers.ts';
import type { Bell } from '#core/queue/bell.ts';
import type { Log } from './log.ts';
import { BACK, type Part, type Places, REFUSALS, sentenceFor } from './part-sentences.ts';

/**
 * What a process saw when it last asked: a sentence for each part that is away, those that could not be asked since what
 * they stand on is away, and how many workers are alive.
 */
export type Standing = { away: ReadonlyMap<Part, string>; unknown: ReadonlySet<Part>; workers: number | null };

/** Knows which of the parts that a process leans on are away. */
export type Availability = {
  /** Asks all parts and answers within 3 s. Rejects only with an error that says nothing about absence. */
  check(): Promise<Standing>;
  /** What was seen last, without asking: a fact for answers that must not wait. */
  last(): Standing;
  /** Takes an error for a hint that a part may be away: a process that watches asks all of them, once a second at most. */
  suspect(error: unknown): void;
  /** Notes that the queue took a job, and so does not refuse them any more. */
  queueTook(): void;
  /** Asks every 3 s and logs, once for each change, that one of `parts` is away or back. */
  watch(log: Log, parts: readonly Part[]): void;
  close(): void;
};

type Refusal = { code: string; until: number };

type Asked = { db: Db; bell: Pick<Bell, 'count'>; places: Places };

const EVERY_MS = 3_000;
const PATIENCE_MS = 3_000;
const PAUSE_MS = 1_000;

/** Longer than any pause between two tries to ring for a row that is late. */
const REFUSED_FOR_MS = 70_000;
const DISK_FULL = '53100';

/** A queue that never has jobs, so that counting them costs nothing. */
const PROBE_QUEUE = 'probe';

/** Makes the availability of one process; until it is first asked, nothing is known and nothing counts as away. */
export function makeAvailability(asked: Asked): Availability {
  let last: Standing = { away: new Map(), unknown: new Set(), workers: null };
  let checking: Promise<Standing> | null = null;
  let isDiskSuspect = false;
  let timer: NodeJS.Timeout | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let refusal: Refusal | null = null;
  let tell = (_standing: Standing) => {};

  async function ask(): Promise<Standing> {
    askedAt = performance.now();
    if (refusal && refusal.until < askedAt) refusal = null;
    const hints = { isDiskSuspect, refusal };
    isDiskSuspect = false;
    last = await askAll(asked, hints);
    isDiskSuspect ||= last.away.has('disk');
    tell(last);
    return last;
  }
  const check = () => {
    checking ??= ask().finally(() => {
      checking = null;
    });
    return checking;
  };
  return {
    check,
    last: () => last,
    suspect: (error) => {
      const code = codeOf(error);
      isDiskSuspect ||= code === DISK_FULL;
      if (code && REFUSALS.has(code)) refusal = { code, until: performance.now() + REFUSED_FOR_MS };
      if (timer && performance.now() - askedAt > PAUSE_MS) check().catch(() => {});
    },
    queueTook: () => {
      refusal = null;
    },
    watch: (log, parts) => {
      tell = tellChanges(parts, log);
      const tellFailure = tellOnce(log);
      timer ??= setInterval(() => check().catch(tellFailure), EVERY_MS).unref();
      check().catch(() => {});
    },
    close: () => {
      clearInterval(timer);
      timer = undefined;
      tell = () => {};
    },
  };
}

function tellOnce(log: Log): (error: unknown) => void {
  let told = '';
  return (error) => {
    if (told !== String(error)) log.warn({ err: error }, 'the parts could not be asked, which is tried again');
    told = String(error);
  };
}

type Hints = { isDiskSuspect: boolean; refusal: Refusal | null };

async function askAll({ db, bell, places }: Asked, { isDiskSuspect, refusal }: Hints): Promise<Standing> {
  const away = new Map<Part, string>();
  const note = (part: Part) => (error: unknown) => {
    away.set(part, sentenceFor(part, { code: codeOf(error), places }));
    return null;
  };
  const passing = (part: Part) => (error: unknown) => {
    if (error instanceof TimedOut || isPassing(error)) return note(codeOf(error) === DISK_FULL ? 'disk' : part)(error);
    throw error;
  };
  // A role that may not make the probe's table says nothing about the disk.
  const fullDisk = (error: unknown) => (codeOf(error) === DISK_FULL ? note('disk')(error) : null);
  const [workers] = await Promise.all([
    withinTime(countWorkers(db)).catch(passing('database')),
    isDiskSuspect ? withinTime(probeDisk(db)).catch(fullDisk) : null,
    withinTime(bell.count([PROBE_QUEUE])).catch(note('queue')),
  ]);
  // It answers questions, and takes no jobs.
  if (refusal && !away.has('queue')) away.set('queue', sentenceFor('queue', { code: refusal.code, places }));
  const unknown = new Set<Part>(
    away.has('database') ? ['disk', 'worker', ...(places.redis ? [] : ['queue' as const])] : [],
  );
  for (const part of unknown) away.delete(part);
  if (workers === 0) note('worker')(null);
  return { away, unknown, workers };
}

/** Tells of each part once that it is away, and once that it is back; while it cannot be asked nothing is new. */
function tellChanges(parts: readonly Part[], log: Log): (standing: Standing) => void {
  const told = new Set<Part>();
  return ({ away, unknown }) => {
    for (const part of parts) {
      const sentence = away.get(part);
      if (sentence && !told.has(part)) {
        told.add(part);
        log.warn({ away: part }, sentence);
      }
      if (!sentence && !unknown.has(part) && told.delete(part)) log.info({ back: part }, BACK[part]);
    }
  };
}

class TimedOut extends Error {
  readonly code = 'no answer in 3 s';
}

function withinTime<Value>(asking: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  // An answer that came while this process stood still is read before its time is up.
  const timer = setTimeout(() => setImmediate(() => reject(new TimedOut())), PATIENCE_MS);
  return Promise.race([asking, promise]).finally(() => clearTimeout(timer));
}

/** Redis says in the first word of its message what Postgres and the network say in a code. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return 'code' in error ? String(error.code) : (/^[A-Z]{3,}(?= )/.exec(error.message)?.[0] ?? null);
}
