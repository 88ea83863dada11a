import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { keepBlobs } from '#core/checkpoint/blobs.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import type { Answered } from '#core/checkpoint/turns/commits/advance-batch.ts';
import { lockTurn } from '#core/checkpoint/turns/lock.ts';
import { type NewResult, type NewResults, saveResults } from '#core/checkpoint/turns/save-results.ts';
import { latestCalls } from '#core/turn/call.ts';
import { readBlobAddress } from '#core/turn/parts/blob-address.ts';
import { dataOf } from '#core/turn/parts/part-data.ts';
import type { NewBlob } from '#core/turn/parts/take-inline.ts';
import { predictAfterBatch } from '#core/turn/predict.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { toolContent } from '../../process/trace/content.ts';
import { type AnsweredCall, toolSpan } from '../../process/trace/turn-spans.ts';
import type { WorkerContext } from '../context.ts';
import { nextRunOf, type Run } from '../lease/run.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';

/** The result of a call. `leaseOwner` marks a result that only the run with the lease may write. */
export type KnownResult = {
  result: ToolResult;
  fullOutput: string | null;
  /** New blobs of the result, which may also refer to existing blobs. */
  blobs?: NewBlob[] | undefined;
  cacheKey?: string | null;
  leaseOwner?: string;
};

/** A result with its times, in milliseconds since 1970. */
type TimedResult = KnownResult & { startedAt: number; endedAt: number };

/** Writes the results of a batch as soon as they are known. */
export type ResultWriter = {
  /** Resolves once the result is saved, or found to be late (R10). */
  write(call: ToolCall, known: TimedResult): Promise<void>;
  /** The wakeups of the saves so far. */
  wakeups: Wakeup[];
};

type Entry = TimedResult & { call: ToolCall };

/** The maximum characters of a statement. During the write, a text exists several times here and in PostgreSQL. */
const STATEMENT_LIMIT = 4 * 1024 * 1024;

/**
 * Makes a writer that saves results of the same moment in one statement, so that no result waits for a slow call.
 * Large results are saved in sequence.
 */
export function openResultWriter(run: Run, round: number, context: WorkerContext): ResultWriter {
  const { turn } = run;
  const wakeups: Wakeup[] = [];
  const known = new Map<number, ToolResult>();
  const waiting: Entry[] = [];
  let saving: Promise<void> | undefined;

  async function saveWaiting(): Promise<void> {
    await nextLoopIteration();
    try {
      while (waiting.length > 0) {
        const entries = waiting.splice(0, countThatFit(waiting));
        for (const [leaseOwner, group] of Map.groupBy(entries, (entry) => entry.leaseOwner))
          await saveGroup(group, leaseOwner);
      }
    } finally {
      saving = undefined;
    }
  }

  async function saveGroup(group: Entry[], leaseOwner: string | undefined): Promise<void> {
    const results = group.map(newResult);
    const write = { verb: 'saveResults', turnId: turn.id };
    const saved = await writeCheckpoint(context, write, () =>
      save(turn, { turnId: turn.id, round, results, leaseOwner, nextRun: nextRunOf(run) }, { context, group }),
    );
    for (const { call, result } of results) if (saved.written.includes(call.index)) known.set(call.index, result);
    if (saved.wakeups.length > 0) context.turnCache.keep(predictAfterBatch(turn, known), saved);
    wakeups.push(...saved.wakeups);
    reportSaved(group, saved, { turn, context });
  }

  return {
    wakeups,
    write: (call, known) => {
      waiting.push({ call, ...known });
      saving ??= saveWaiting();
      return saving;
    },
  };
}

function newResult({ call, result, fullOutput, cacheKey }: Entry): NewResult {
  return { call, result, fullOutput, cacheKey: cacheKey ?? null };
}

/** Returns the number of first entries that fit into one statement, and 1 at least. */
function countThatFit(entries: Entry[]): number {
  let room = STATEMENT_LIMIT;
  const beyond = entries.findIndex(({ result, fullOutput }) => {
    room -= (result.content?.length ?? 0) + (fullOutput?.length ?? 0);
    return room < 0;
  });
  return beyond === -1 ? entries.length : Math.max(beyond, 1);
}

/**
 * Saves results. If calls wait for an answer from outside, the save takes the row lock first, so that it sees the
 * answer (R15).
 */
function save(
  turn: Turn,
  results: NewResults,
  { context: { db }, group }: { context: WorkerContext; group: Entry[] },
): Promise<Answered> {
  const isAlone = latestCalls(turn).every((call) => call.waitsFor === null);
  const hasParts = group.some(({ result }) => result.parts);
  if (isAlone && !hasParts) return saveResults(db, { ...results, waits: false });
  return db.transaction().execute(async (trx) => {
    await lockTurn(trx, turn.id);
    const saved = await saveResults(trx, results);
    if (hasParts)
      await keepResultBlobs(
        trx,
        turn,
        group.filter(({ call }) => saved.written.includes(call.index)),
      );
    return saved;
  });
}

/**
 * Keeps the blobs of results. Throws if a blob of an earlier result was deleted with its turn. The step then begins
 * again, without the blob.
 */
async function keepResultBlobs(trx: Trx, { id: turnId, project }: Turn, written: Entry[]): Promise<void> {
  const parts = written.flatMap(({ result }) => result.parts ?? []);
  const hashes = parts.flatMap((part) => readBlobAddress(dataOf(part)?.address ?? '')?.sha256 ?? []);
  const blobs = written.flatMap((entry) => entry.blobs ?? []);
  const missing = await keepBlobs(trx, { project, turnId, hashes, blobs });
  if (missing.length > 0) throw new Error(`A result of ${turnId} refers to a deleted blob: ${missing[0]}.`);
}

function reportSaved(
  entries: Entry[],
  { written, wakeups }: Answered,
  { turn, context }: { turn: Turn; context: WorkerContext },
): void {
  for (const { call, result, startedAt, endedAt } of entries) {
    const about = {
      turn_id: turn.id,
      round: call.round,
      attempt: turn.work.generation + 1,
      duration_ms: result.duration_ms,
    };
    if (written.includes(call.index)) {
      const event = { event: 'tool_result.saved', tool: call.name, ...about };
      reportCall(turn, { call, result, startedAt, endedAt }, context);
      context.log.info(event, `tool result ready: ${result.error?.category ?? 'ok'} ${call.name}`);
    } else {
      const event = { event: 'tool_result.dropped', tool: call.name, ...about, late_result: true };
      context.log.info(event, `late tool result dropped: ${call.name}`);
    }
  }
  if (written.length > 0) context.watchers.publishChange(turn.id, wakeups);
}

/** Reports a call after the commit of its result. */
function reportCall(turn: Turn, answered: AnsweredCall, { metrics, tracer, redact }: WorkerContext): void {
  const { call, result } = answered;
  metrics.toolAnswered(call.name, result.error?.category ?? 'success', result.duration_ms);
  if (!tracer.isOn) return;
  const span = toolSpan(turn, answered);
  const content = tracer.withContent ? toolContent(call, result, redact) : {};
  tracer.report({ ...span, attributes: { ...span.attributes, ...content } });
}
