import { beginTurn } from '#core/checkpoint/begin-turn.ts';
import type { Db } from '#core/checkpoint/database.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';

/** What this worker remembers of the turns it had on hand last, so that it reads only what is new of them. */
export type TurnMemory = {
  /** Begins a turn that nobody has begun, for a run; undefined where anything stands against it. */
  begin(turnId: string, runId: string): Promise<Turn | undefined>;
  /**
   * What was left serves only the job for its own step, and only the first ring for that: any other tells that somebody had
   * the turn on hand since (R3).
   */
  load(turnId: string, job?: { step: string; ring?: number | undefined }): Promise<Turn | undefined>;
  /** A turn as a commit of this worker has just left it: whoever loads it in the next moment need not read it. */
  keep(turn: Turn | null): void;
  /** Somebody else has changed the turn: the next load reads it. */
  mistrust(turnId: string): void;
};

/**
 * A turn as it was read, and as it was left until a moment; `deadlineAt`, like that moment, by this process's clock. `asked`
 * and `size` count characters.
 */
type Known = {
  turn: Turn;
  asked: number;
  size: number;
  deadlineAt: number;
  left: { turn: Turn; until: number } | null;
};

const MOST_TURNS = 1_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** Well within the grace before anybody rings again for what a commit made owed (R3). */
const LEFT_MS = 2_000;

/**
 * Loads turns as they stand now. What is remembered can never change, but for what a commit of our own has left a moment
 * ago; whoever changed that since is met by the guards of the next write. A worker that has never seen a turn reads all
 * of it, and works it just the same.
 */
export function makeTurnMemory(db: Db): TurnMemory {
  const known = new Map<string, Known>();
  let size = 0;

  function forget(id: string): void {
    size -= known.get(id)?.size ?? 0;
    known.delete(id);
  }
  function remember(id: string, entry: Known): void {
    forget(id);
    known.set(id, entry);
    size += entry.size;
    for (const oldest of known.keys()) {
      if (known.size <= MOST_TURNS && size <= MOST_CHARACTERS) return;
      forget(oldest);
    }
  }

  return {
    begin: async (turnId, runId) => {
      const turn = await beginTurn(db, turnId, runId);
      if (turn) remember(turnId, readNow(turn, undefined));
      return turn;
    },
    load: async (turnId, job) => {
      const entry = known.get(turnId);
      const left = entry && job?.ring === 0 && takeLeft(entry);
      if (left && left.work.step === job?.step) return left;
      const turn = await loadTurn(db, turnId, entry?.turn);
      if (turn && !isTerminal(turn.status)) remember(turnId, readNow(turn, entry));
      else forget(turnId);
      return turn;
    },
    keep: (turn) => {
      const entry = turn && known.get(turn.id);
      if (!entry) return;
      const left = { turn, until: performance.now() + LEFT_MS };
      remember(turn.id, { ...entry, left, size: sizeOf(turn, entry.asked) });
    },
    mistrust: (turnId) => {
      const entry = known.get(turnId);
      if (entry) entry.left = null;
    },
  };
}

function readNow(turn: Turn, before: Known | undefined): Known {
  const asked = before?.asked ?? JSON.stringify([turn.config, turn.input]).length;
  const deadlineAt = performance.now() + (turn.work.deadlineInMs ?? Number.POSITIVE_INFINITY);
  return { turn, asked, size: sizeOf(turn, asked), deadlineAt, left: null };
}

/** It serves once: a job that comes again reads what has become of the turn. */
function takeLeft(entry: Known): Turn | null {
  const { left, deadlineAt } = entry;
  entry.left = null;
  const now = performance.now();
  if (!left || now > left.until) return null;
  const { work } = left.turn;
  const deadlineInMs = work.deadlineInMs === null ? null : deadlineAt - now;
  return { ...left.turn, work: { ...work, deadlineInMs, overdue: now >= deadlineAt } };
}

/** About how many characters a turn takes up. What it was asked is counted once: it never changes. */
function sizeOf({ rounds }: Turn, asked: number): number {
  return rounds.reduce((sum, { text, calls }) => {
    const called = calls.reduce((all, call) => all + call.arguments.length + (call.result?.content?.length ?? 0), 0);
    return sum + (text?.length ?? 0) + called;
  }, asked);
}
