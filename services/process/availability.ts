import { probeDisk } from '#core/checkpoint/connect.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { countWorkers } from '#core/checkpoint/workers.ts';
import { isTransient } from '#core/postgres/retry-transient.ts';
import type { JobQueue } from '#core/queue/job-queue.ts';
import type { Log } from './log.ts';
import { type Deployment, outageSentence, type Part, RECOVERY_SENTENCES, REDIS_REFUSALS } from './part-sentences.ts';

/**
 * What the last check of a process found: a sentence for each part that is away, the parts that it could therefore not
 * check, and how many workers are alive.
 */
export type AvailabilityStatus = {
  away: ReadonlyMap<Part, string>;
  unknown: ReadonlySet<Part>;
  workers: number | null;
};

/** Knows which of the parts that a process depends on are away. */
export type Availability = {
  /** Checks all parts, within 3 s. Rejects only with an error that says nothing about absence. */
  check(): Promise<AvailabilityStatus>;
  /** The last result, without a check: for answers that must not wait. */
  last(): AvailabilityStatus;
  /** Takes an error for a hint that a part may be away: a process that watches checks then, once a second at most. */
  suspect(error: unknown): void;
  /** Notes that the queue took a job, and so refuses them no longer. */
  queueAccepted(): void;
  /** Checks every 3 s and logs, once for each change, that one of `parts` is away or back. */
  watch(log: Log, parts: readonly Part[]): void;
  close(): void;
};

type Refusal = { code: string; until: number };

type Probed = { db: Db; jobQueue: Pick<JobQueue, 'count'>; deployment: Deployment };

const EVERY_MS = 3_000;
const PROBE_TIMEOUT_MS = 3_000;
const PAUSE_MS = 1_000;

/** Longer than any pause between two tries to enqueue a row that is late. */
const REFUSED_FOR_MS = 70_000;
const DISK_FULL = '53100';

/** A queue that never has jobs, so that counting them costs nothing. */
const PROBE_QUEUE = 'probe';

/** Makes the availability of one process; until the first check nothing is known and nothing counts as away. */
export function makeAvailability(probed: Probed): Availability {
  let last: AvailabilityStatus = { away: new Map(), unknown: new Set(), workers: null };
  let checking: Promise<AvailabilityStatus> | null = null;
  let isDiskSuspect = false;
  let timer: NodeJS.Timeout | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let refusal: Refusal | null = null;
  let report = (_status: AvailabilityStatus) => {};

  async function probe(): Promise<AvailabilityStatus> {
    checkedAt = performance.now();
    if (refusal && refusal.until < checkedAt) refusal = null;
    const hints = { isDiskSuspect, refusal };
    isDiskSuspect = false;
    last = await probeAll(probed, hints);
    isDiskSuspect ||= last.away.has('disk');
    report(last);
    return last;
  }
  const check = () => {
    checking ??= probe().finally(() => {
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
      if (code && REDIS_REFUSALS.has(code)) refusal = { code, until: performance.now() + REFUSED_FOR_MS };
      if (timer && performance.now() - checkedAt > PAUSE_MS) check().catch(() => {});
    },
    queueAccepted: () => {
      refusal = null;
    },
    watch: (log, parts) => {
      report = logChanges(parts, log);
      const logFailure = logOnce(log);
      timer ??= setInterval(() => check().catch(logFailure), EVERY_MS).unref();
      check().catch(() => {});
    },
    close: () => {
      clearInterval(timer);
      timer = undefined;
      report = () => {};
    },
  };
}

type Hints = { isDiskSuspect: boolean; refusal: Refusal | null };

async function probeAll(
  { db, jobQueue, deployment }: Probed,
  { isDiskSuspect, refusal }: Hints,
): Promise<AvailabilityStatus> {
  const away = new Map<Part, string>();
  const note = (part: Part) => (error: unknown) => {
    away.set(part, outageSentence(part, { code: codeOf(error), deployment }));
    return null;
  };
  const passing = (part: Part) => (error: unknown) => {
    if (error instanceof TimedOut || isTransient(error))
      return note(codeOf(error) === DISK_FULL ? 'disk' : part)(error);
    throw error;
  };
  // A role that may not create the probe's table says nothing about the disk.
  const fullDisk = (error: unknown) => (codeOf(error) === DISK_FULL ? note('disk')(error) : null);
  const [workers] = await Promise.all([
    withinTime(countWorkers(db)).catch(passing('database')),
    isDiskSuspect ? withinTime(probeDisk(db)).catch(fullDisk) : null,
    withinTime(jobQueue.count([PROBE_QUEUE])).catch(note('queue')),
  ]);
  // It answers reads, and takes no jobs.
  if (refusal && !away.has('queue')) away.set('queue', outageSentence('queue', { code: refusal.code, deployment }));
  const unknown = new Set<Part>(
    away.has('database') ? ['disk', 'worker', ...(deployment.redis ? [] : ['queue' as const])] : [],
  );
  for (const part of unknown) away.delete(part);
  if (workers === 0) note('worker')(null);
  return { away, unknown, workers };
}

class TimedOut extends Error {
  readonly code = 'no answer in 3 s';
}

function withinTime<Value>(probe: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  // An answer that came while this process stood still is read before its time is up.
  const timer = setTimeout(() => setImmediate(() => reject(new TimedOut())), PROBE_TIMEOUT_MS);
  return Promise.race([probe, promise]).finally(() => clearTimeout(timer));
}

/** Redis says in the first word of its message what Postgres and the network say in a code. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return 'code' in error ? String(error.code) : (/^[A-Z]{3,}(?= )/.exec(error.message)?.[0] ?? null);
}

/** Logs of each part once that it is away, and once that it is back; while it cannot be checked nothing changes. */
function logChanges(parts: readonly Part[], log: Log): (status: AvailabilityStatus) => void {
  const logged = new Set<Part>();
  return ({ away, unknown }) => {
    for (const part of parts) {
      const sentence = away.get(part);
      if (sentence && !logged.has(part)) {
        logged.add(part);
        log.warn({ event: 'part.away', away: part }, sentence);
      }
      if (!sentence && !unknown.has(part) && logged.delete(part))
        log.info({ event: 'part.back', back: part }, RECOVERY_SENTENCES[part]);
    }
  };
}

function logOnce(log: Log): (error: unknown) => void {
  let logged = '';
  return (error) => {
    if (logged !== String(error)) log.warn({ err: error }, 'the parts could not be checked, which is tried again');
    logged = String(error);
  };
}
