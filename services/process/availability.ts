import { probeDisk } from '#core/checkpoint/connect.ts';
import { requireSchema } from '#core/checkpoint/migrate.ts';
import { findTableLock } from '#core/checkpoint/table-lock.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { countWorkers } from '#core/checkpoint/workers.ts';
import { Misconfigured } from '#core/failure.ts';
import { isSchemaFault } from '#core/postgres/refusal.ts';
import { isTransient } from '#core/postgres/retry-transient.ts';
import type { JobQueue, StoreStatus } from '#core/queue/job-queue.ts';
import type { Log } from './log.ts';
import {
  codeOf,
  type Deployment,
  lackingSentence,
  lockSentence,
  NO_ANSWER,
  outageSentence,
  type Part,
  RECOVERY_SENTENCES,
  storeSentence,
  unusableSentence,
} from './part-sentences.ts';
import { makeRefusals, type Refusals, type RefusingPart } from './refusals.ts';

/**
 * The result of the last check of a process. `away` has a sentence for each part that is away, and `unknown` the
 * parts that the process could therefore not check. `stores` has several Redis of the queue and any Redis that evicts
 * keys, with a sentence for a problem.
 */
export type AvailabilityStatus = {
  away: ReadonlyMap<Part, string>;
  unknown: ReadonlySet<Part>;
  stores: ReadonlyMap<string, string | null>;
  workers: number | null;
};

/** Checks which parts of a process are away. */
export type Availability = {
  /** Checks all parts, within 3 s if the process does not freeze. Rejects only with errors unrelated to absence. */
  check(): Promise<AvailabilityStatus>;
  /** Returns the last result without a check, for answers that must not wait. */
  last(): AvailabilityStatus;
  /** Takes an error as a hint that a part may be away. A watching process then checks, at most once a second. */
  suspect(error: unknown): void;
  /** Records that a part accepted work, which ends its refusal. */
  accepted(part: RefusingPart): void;
  /** Checks every 3 s, and logs each change of `parts` between away and back. */
  watch(log: Log, parts: readonly Part[]): void;
  close(): void;
};

/** `tools` are the tools that this process offers to turns, and that some worker must therefore have. */
type Probed = { db: Db; jobQueue: Pick<JobQueue, 'check'>; deployment: Deployment; tools?: string[] };

const EVERY_MS = 3_000;
const PROBE_TIMEOUT_MS = 3_000;
const PROBE_TICKS = 6;
const PAUSE_MS = 1_000;

const DISK_FULL = '53100';
const LOCKED = '55P03';

const STORE = 'redis@';

/** Makes the availability of a process. Before the first check no state is known, and no part counts as away. */
export function makeAvailability(probed: Probed): Availability {
  let last: AvailabilityStatus = { away: new Map(), unknown: new Set(), stores: new Map(), workers: null };
  let checking: Promise<AvailabilityStatus> | null = null;
  const suspected = new Set<Suspicion>();
  let timer: NodeJS.Timeout | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const refusals = makeRefusals();
  let report = (_status: AvailabilityStatus) => {};

  async function probe(): Promise<AvailabilityStatus> {
    checkedAt = performance.now();
    const hints = { suspected: new Set(suspected), refusals };
    suspected.clear();
    last = await probeAll(probed, hints);
    if (last.away.has('disk')) suspected.add('disk');
    if (last.away.has('database') && hints.suspected.has('lock')) suspected.add('lock');
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
      if (codeOf(error) === DISK_FULL) suspected.add('disk');
      if (codeOf(error) === LOCKED) suspected.add('lock');
      refusals.record(error);
      if (timer && performance.now() - checkedAt > PAUSE_MS) check().catch(() => {});
    },
    accepted: refusals.forget,
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

/** A part that a probe reports as away, with or without an error. */
type Probe = Parameters<typeof outageSentence>[0];

/** A fault that a check looks for only after an error has hinted at it. */
type Suspicion = 'disk' | 'lock';

type Hints = { suspected: ReadonlySet<Suspicion>; refusals: Refusals };

async function probeAll(
  { db, jobQueue, deployment, tools }: Probed,
  { suspected, refusals }: Hints,
): Promise<AvailabilityStatus> {
  const away = new Map<Part, string>();
  const noteAway = (part: Part, sentence: string) => {
    away.set(part, sentence);
    return null;
  };
  const note = (part: Probe) => (error: unknown) =>
    noteAway(part, outageSentence(part, { code: codeOf(error), deployment }));
  const passing = (part: Probe) => (error: unknown) => {
    const unusable = unusableReason(error, deployment);
    if (unusable !== null) return noteAway(part, unusable);
    if (error instanceof TimedOut || isTransient(error))
      return note(codeOf(error) === DISK_FULL ? 'disk' : part)(error);
    throw error;
  };
  // The probe needs a table. A role that may not create it does not prove a full disk.
  const fullDisk = (error: unknown) => (codeOf(error) === DISK_FULL ? note('disk')(error) : null);
  const [workers, , , lock, stores] = await Promise.all([
    withinTime(countWorkers(db, tools)).catch(passing('database')),
    withinTime(requireSchema(db)).catch(passing('database')),
    suspected.has('disk') ? withinTime(probeDisk(db)).catch(fullDisk) : null,
    suspected.has('lock') ? withinTime(findTableLock(db)).catch(passing('database')) : null,
    withinTime(jobQueue.check()).catch(note('queue')),
  ]);
  if (lock && !away.has('database')) noteAway('database', lockSentence(deployment, lock));
  addRefusals(away, refusals, deployment);
  const unknown = new Set<Part>(
    away.has('database') ? ['disk', 'worker', 'tools', ...(deployment.redis ? [] : ['queue' as const])] : [],
  );
  for (const part of unknown) away.delete(part);
  if (workers?.count === 0) note('worker')(null);
  else if (workers && workers.lacking.length > 0) away.set('tools', lackingSentence(workers.lacking));
  return { away, unknown, stores: sentencesOf(stores ?? []), workers: workers?.count ?? null };
}

function addRefusals(away: Map<Part, string>, refusals: Refusals, deployment: Deployment): void {
  const [ofQueue, ofDatabase] = [refusals.codeFor('queue'), refusals.codeFor('database')];
  if (ofQueue && !away.has('queue')) away.set('queue', outageSentence('queue', { code: ofQueue, deployment }));
  if (ofDatabase && !away.has('database')) away.set('database', unusableSentence(deployment, ofDatabase));
}

/** Returns the problem of a schema in a database that answers, or null for any other error. */
function unusableReason(error: unknown, deployment: Deployment): string | null {
  if (error instanceof Misconfigured) return error.message;
  return isSchemaFault(error) ? unusableSentence(deployment, codeOf(error)) : null;
}

/** Returns the sentences of stores. Omits a single healthy store, which is the queue itself. */
function sentencesOf(stores: StoreStatus[]): Map<string, string | null> {
  const reported = stores.filter(({ kind }) => stores.length > 1 || kind !== 'well');
  return new Map(reported.map((store) => [`${STORE}${store.address}`, storeSentence(store)]));
}

class TimedOut extends Error {
  readonly code = NO_ANSWER;
}

/**
 * Rejects if a probe has no answer after 3 s. Counts time in ticks, and a freeze of this process is one tick of any
 * length. PostgreSQL may have frozen too, and needs time to answer afterwards.
 */
function withinTime<Value>(probe: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks === PROBE_TICKS) setImmediate(() => reject(new TimedOut()));
  }, PROBE_TIMEOUT_MS / PROBE_TICKS);
  return Promise.race([probe, promise]).finally(() => clearInterval(timer));
}

/**
 * Logs once that a part is away, and once that it is back. Logs no change while the part cannot be checked. For a
 * Redis, also logs that its problem has changed.
 */
function logChanges(parts: readonly Part[], log: Log): (status: AvailabilityStatus) => void {
  const logged = new Map<string, string>();
  const update = (part: string, wrong: { gist: string; sentence: string } | null, recovery: string) => {
    if (wrong && logged.get(part) !== wrong.gist) log.warn({ event: 'part.away', away: part }, wrong.sentence);
    if (wrong) logged.set(part, wrong.gist);
    else if (logged.delete(part)) log.info({ event: 'part.back', back: part }, recovery);
  };
  return ({ away, unknown, stores }) => {
    for (const part of parts.filter((one) => !unknown.has(one))) {
      const sentence = away.get(part);
      update(part, sentence === undefined ? null : { gist: part, sentence }, RECOVERY_SENTENCES[part]);
    }
    if (!parts.includes('queue') || away.has('queue') || unknown.has('queue')) return;
    for (const store of new Set([...stores.keys(), ...logged.keys()].filter((part) => part.startsWith(STORE)))) {
      const sentence = stores.get(store) ?? null;
      const gist = sentence?.replace(/ \(.*?\)/, '') ?? '';
      update(store, sentence === null ? null : { gist, sentence }, `${store.replace(STORE, 'Redis at ')} works again.`);
    }
  };
}

function logOnce(log: Log): (error: unknown) => void {
  let logged = '';
  return (error) => {
    if (logged !== String(error)) log.warn({ err: error }, 'the availability check failed and will be repeated');
    logged = String(error);
  };
}
