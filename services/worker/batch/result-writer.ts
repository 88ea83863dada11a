import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Answered } from '#core/checkpoint/turns/advance-batch.ts';
import { lockTurn } from '#core/checkpoint/turns/lock.ts';
import { type NewResult, type NewResults, saveResults } from '#core/checkpoint/turns/save-results.ts';
import { latestCalls } from '#core/turn/call.ts';
import { predictAfterBatch } from '#core/turn/predict.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';

/** What a call came to. `leaseOwner` marks a result that only the run with the lease may write. */
export type KnownResult = {
  result: ToolResult;
  fullOutput: string | null;
  cacheKey?: string | null;
  leaseOwner?: string;
};

/** Where a batch puts its results as soon as they are known. */
export type ResultWriter = {
  /** Resolves once the result is saved, or found to be late (R10). */
  write(call: ToolCall, known: KnownResult): Promise<void>;
  /** What the saves so far have made due. */
  wakeups: Wakeup[];
};

type Entry = KnownResult & { call: ToolCall };

/** In characters. What is written is kept several times over meanwhile, here and in Postgres. */
const STATEMENT_LIMIT = 4 * 1024 * 1024;

/**
 * Saves results that are known at the same moment in one statement: none waits for a slow sibling. Large results go one
 * after the other.
 */
export function openResultWriter({ turn }: Run, round: number, context: WorkerContext): ResultWriter {
  const wakeups: Wakeup[] = [];
  const known = new Map<number, ToolResult>();
  const waiting: Entry[] = [];
  let saving: Promise<void> | undefined;

  async function saveWaiting(): Promise<void> {
    await nextLoopIteration();
    try {
      await saveAll();
    } finally {
      saving = undefined;
    }
  }

  async function saveAll(): Promise<void> {
    while (waiting.length > 0) {
      const entries = waiting.splice(0, countThatFit(waiting));
      for (const [leaseOwner, group] of Map.groupBy(entries, (entry) => entry.leaseOwner))
        await saveGroup(group, leaseOwner);
    }
  }

  async function saveGroup(group: Entry[], leaseOwner: string | undefined): Promise<void> {
    const results = group.map(newResult);
    const write = { verb: 'saveResults', turnId: turn.id };
    const saved = await writeCheckpoint(context, write, () =>
      save(turn, { turnId: turn.id, round, results, leaseOwner }, context),
    );
    for (const { index, result } of results) if (saved.written.includes(index)) known.set(index, result);
    if (saved.wakeups.length > 0) context.turnCache.keep(predictAfterBatch(turn, known));
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
  return { index: call.index, result, fullOutput, cacheKey: cacheKey ?? null };
}

/** How many of the first entries fit into one statement: at least one. */
function countThatFit(entries: Entry[]): number {
  let room = STATEMENT_LIMIT;
  const beyond = entries.findIndex(({ result, fullOutput }) => {
    room -= (result.content?.length ?? 0) + (fullOutput?.length ?? 0);
    return room < 0;
  });
  return beyond === -1 ? entries.length : Math.max(beyond, 1);
}

/** Where calls wait for an answer from outside, a save has to see it: it waits for it under the row lock (R15). */
function save(turn: Turn, results: NewResults, { db }: WorkerContext): Promise<Answered> {
  const isAlone = latestCalls(turn).every((call) => call.waitsFor === null);
  if (isAlone) return saveResults(db, results);
  return db.transaction().execute(async (trx) => {
    await lockTurn(trx, turn.id);
    return saveResults(trx, results);
  });
}

function reportSaved(
  entries: Entry[],
  { written, wakeups }: Answered,
  { turn, context }: { turn: Turn; context: WorkerContext },
): void {
  for (const { call, result } of entries) {
    const about = {
      turn_id: turn.id,
      round: call.round,
      attempt: turn.work.generation + 1,
      duration_ms: result.duration_ms,
    };
    if (written.includes(call.index)) {
      const event = { event: 'tool_result.saved', tool: call.name, ...about };
      context.log.info(event, `tool result ready: ${result.error?.category ?? 'ok'} ${call.name}`);
    } else {
      const event = { event: 'tool_result.dropped', tool: call.name, ...about, late_result: true };
      context.log.info(event, `late tool result dropped: ${call.name}`);
    }
  }
  if (written.length > 0) context.watchers.publishChange(turn.id, wakeups);
}
