import { setImmediate as nextTick } from 'node:timers/promises';
import type { Answered } from '#core/checkpoint/advance-batch.ts';
import { lockTurn } from '#core/checkpoint/lock-turn.ts';
import { persist } from '#core/checkpoint/persist.ts';
import { type NewResults, saveResults } from '#core/checkpoint/save-results.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from './context.ts';
import type { Run } from './run.ts';

/** What a call came to. `heldBy` marks an answer that only the run that has the turn may give. */
export type KnownResult = { result: ToolResult; fullOutput: string | null; heldBy?: string };

/** Where a batch puts its results the moment they are known. */
export type ResultBox = {
  /** Resolves once the result is saved, or found to come too late. */
  put(call: ToolCall, known: KnownResult): Promise<void>;
  /** What the saves so far have made owed. */
  rings: Ring[];
};

type Entry = KnownResult & { call: ToolCall };

/** Saves what is known at the same moment in one statement: nothing waits for a slow sibling, and nobody queues. */
export function openResultBox({ turn }: Run, round: number, context: WorkerContext): ResultBox {
  const rings: Ring[] = [];
  let waiting: Entry[] = [];
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
      const entries = waiting;
      waiting = [];
      for (const [heldBy, group] of Map.groupBy(entries, (entry) => entry.heldBy)) {
        const results = group.map(({ call, result, fullOutput }) => ({ index: call.index, result, fullOutput }));
        const saved = await persist(() => save(turn, { turnId: turn.id, round, results, heldBy }, context));
        rings.push(...saved.rings);
        tell(group, saved.written, { turn, context });
      }
    }
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

/** Where calls wait for somebody outside, a save has to see their answers: it waits for them under the row lock. */
function save(turn: Turn, results: NewResults, { db }: WorkerContext): Promise<Answered> {
  const isAlone = turn.rounds.at(-1)?.calls.every((call) => call.waitsFor === null);
  if (isAlone) return saveResults(db, results);
  return db.transaction().execute(async (trx) => {
    await lockTurn(trx, turn.id);
    return saveResults(trx, results);
  });
}

function tell(entries: Entry[], written: number[], { turn, context }: { turn: Turn; context: WorkerContext }): void {
  for (const { call, result } of entries) {
    const about = { turn_id: turn.id, round: call.round, attempt: turn.work.ring + 1, duration_ms: result.duration_ms };
    if (written.includes(call.index)) {
      context.log.info(about, `tool result ready: ${result.error?.category ?? 'ok'} ${call.name}`);
    } else context.log.info({ ...about, late_result: true }, `late tool result dropped: ${call.name}`);
  }
  if (written.length > 0) context.live.tellWatchers({ kind: 'wake', turnId: turn.id });
}
