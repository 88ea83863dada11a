import { setImmediate as nextTick } from 'node:timers/promises';
import type { Answered } from '#core/checkpoint/advance-batch.ts';
import { lockTurn } from '#core/checkpoint/lock-turn.ts';
import { persist } from '#core/checkpoint/persist.ts';
import { type NewResult, type NewResults, saveResults } from '#core/checkpoint/save-results.ts';
import { afterBatch } from '#core/turn/after-batch.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from './context.ts';
import type { Run } from './run.ts';

/** What a call came to. `heldBy` marks an answer that only the run that has the turn may give. */
export type KnownResult = { result: ToolResult; fullOutput: string | null; cacheKey?: string | null; heldBy?: string };

/** Where a batch puts its results the moment they are known. */
export type ResultBox = {
  /** Resolves once the result is saved, or found to come too late (R10). */
  put(call: ToolCall, known: KnownResult): Promise<void>;
  /** What the saves so far have made owed. */
  rings: Ring[];
};

type Entry = KnownResult & { call: ToolCall };

/** Characters. Whatever is written is held several times over meanwhile, here and in Postgres. */
const STATEMENT_LIMIT = 4 * 1024 * 1024;

/**
 * Saves what is known at the same moment in one statement: nothing waits for a slow sibling, and nobody queues. Large
 * results go one after the other.
 */
export function openResultBox({ turn }: Run, round: number, context: WorkerContext): ResultBox {
  const rings: Ring[] = [];
  const known = new Map<number, ToolResult>();
  const waiting: Entry[] = [];
  let saving: Promise<void> | undefined;

  async function saveWaiting(): Promise<void> {
    await nextTick();
    try {
      await saveAll();
    } finally {
      saving = undefined;
    }
  }

  async function saveAll(): Promise<void> {
    while (waiting.length > 0) {
      const entries = waiting.splice(0, countThatFit(waiting));
      for (const [heldBy, group] of Map.groupBy(entries, (entry) => entry.heldBy)) await saveGroup(group, heldBy);
    }
  }

  async function saveGroup(group: Entry[], heldBy: string | undefined): Promise<void> {
    const results = group.map(newResult);
    const saved = await persist(() => save(turn, { turnId: turn.id, round, results, heldBy }, context));
    for (const { index, result } of results) if (saved.written.includes(index)) known.set(index, result);
    if (saved.rings.length > 0) context.turns.keep(afterBatch(turn, known));
    rings.push(...saved.rings);
    tell(group, saved, { turn, context });
  }

  return {
    rings,
    put: (call, known) => {
      waiting.push({ call, ...known });
      saving ??= saveWaiting();
      return saving;
    },
  };
}

function newResult({ call, result, fullOutput, cacheKey }: Entry): NewResult {
  return { index: call.index, result, fullOutput, cacheKey: cacheKey ?? null };
}

/** How many of the first may go into one statement: at least one. */
function countThatFit(entries: Entry[]): number {
  let room = STATEMENT_LIMIT;
  const beyond = entries.findIndex(({ result, fullOutput }) => {
    room -= (result.content?.length ?? 0) + (fullOutput?.length ?? 0);
    return room < 0;
  });
  return beyond === -1 ? entries.length : Math.max(beyond, 1);
}

/** Where calls wait for somebody outside, a save has to see their answers: it waits for them under the row lock (R15). */
function save(turn: Turn, results: NewResults, { db }: WorkerContext): Promise<Answered> {
  const isAlone = turn.rounds.at(-1)?.calls.every((call) => call.waitsFor === null);
  if (isAlone) return saveResults(db, results);
  return db.transaction().execute(async (trx) => {
    await lockTurn(trx, turn.id);
    return saveResults(trx, results);
  });
}

type About = { turn: Turn; context: WorkerContext };

function tell(entries: Entry[], { written, rings }: Answered, { turn, context }: About): void {
  for (const { call, result } of entries) {
    const about = { turn_id: turn.id, round: call.round, attempt: turn.work.ring + 1, duration_ms: result.duration_ms };
    if (written.includes(call.index)) {
      context.log.info(about, `tool result ready: ${result.error?.category ?? 'ok'} ${call.name}`);
    } else context.log.info({ ...about, late_result: true }, `late tool result dropped: ${call.name}`);
  }
  if (written.length > 0) context.audience.news(turn.id, rings);
}
