import { LRUCache } from 'lru-cache';
import type { Db } from '#core/checkpoint/tables.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { loadShortened, outlineTurn } from '#core/checkpoint/turns/reading/outline.ts';
import { allCalls } from '#core/turn/call.ts';
import { bytesLoaded, type LoadingPlan, type OutlinedTurn, planOwn } from '#core/turn/compaction/plan-loading.ts';
import { predictLeased } from '#core/turn/predict.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import { continuedStep, type Wakeup } from '#core/turn/wakeup.ts';
import type { Memory } from './memory/memory.ts';

/** The last turns of this worker, so that a load reads only their changes. */
export type TurnCache = {
  /** Begins a turn for a run. Returns undefined if the turn has begun, or may not begin yet. */
  begin(turnId: string, runId: string): Promise<Turn | undefined>;
  /**
   * Returns the current turn, or undefined if the turn does not exist. A turn that a commit has left is used once, by
   * the next wakeup for its own step. Any other wakeup means that another run has touched the turn (R3). A large turn
   * that is not remembered is only outlined.
   */
  load(turnId: string, job?: { step: string; generation?: number | undefined }): Promise<Turn | undefined>;
  /**
   * Loads a large turn. `isShortened`: the turn is larger than a worker loads, so it has only the beginnings of its
   * results.
   */
  loadLarge(turnId: string): Promise<{ turn: Turn; isShortened: boolean } | undefined>;
  /** Returns about how many bytes a turn takes up once it is loaded. */
  sizeOf(turn: Turn): number;
  /**
   * Keeps a turn as a commit of this worker has left it, so that the next load, within a moment, does not read it.
   * Does not keep a turn if the commit has counted more joined inputs than the turn has (R29).
   */
  keep(turn: Turn | null, saved: { inputs: number; wakeups: Wakeup[] }): void;
  /** Notes that another process changed the turn, so that the next load reads it. */
  invalidate(turnId: string): void;
};

/**
 * A turn as it was read, and as a commit has left it, which is valid `until` then. `deadlineAt` and `until` are by
 * the clock of this process. `requestSize` and `size` count characters.
 */
type CachedTurn = {
  turn: Turn;
  requestSize: number;
  size: number;
  deadlineAt: number;
  left: { turn: Turn; until: number } | null;
};

const MOST_TURNS = 1_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;

/**
 * The time for which a turn that a commit has left is valid. This is well within the grace and the lease that the
 * commit gives to the due step (R3).
 */
const LEFT_MS = 2_000;

/**
 * Makes a cache that loads current turns. A remembered turn never changes, except a turn that a commit of this worker
 * left a moment ago. If such a turn has changed since, the guards of the next write refuse the write. A worker that
 * has not seen a turn reads it completely.
 */
export function makeTurnCache(db: Db, memory: Pick<Memory, 'most' | 'small'>): TurnCache {
  const known = new LRUCache<string, CachedTurn>({
    max: MOST_TURNS,
    maxSize: Math.min(MOST_CHARACTERS, memory.most),
    sizeCalculation: ({ size }) => size,
  });

  function remember(turn: Turn, entry?: CachedTurn): Turn {
    if (isTerminal(turn.status)) known.delete(turn.id);
    else known.set(turn.id, readNow(turn, entry));
    return turn;
  }

  /** Loads a turn without the results that its compactions have replaced, or without most of all results. */
  async function loadPart(outlined: OutlinedTurn) {
    const { plan, isShortened } = planOwn(outlined, memory.most);
    const turn = plan.shortened && (await loadShortened(db, outlined.turn, plan.shortened));
    return turn ? { turn, isShortened } : undefined;
  }

  return {
    begin: async (turnId, runId) => {
      const turn = await beginTurn(db, turnId, runId, memory.small);
      return turn && remember(turn);
    },
    load: async (turnId, job) => {
      const entry = known.get(turnId);
      const left = entry && job?.generation === 0 && takeLeft(entry);
      if (left && left.work.step === job?.step) return left;
      const turn = await loadTurn(db, turnId, entry?.turn, memory.small);
      if (turn) return remember(turn, entry);
      known.delete(turnId);
      const outlined = await outlineTurn(db, turnId);
      return outlined && { ...outlined.turn, outlinedBytes: bytesOf(outlined) };
    },
    loadLarge: async (turnId) => {
      const turn = await loadTurn(db, turnId, undefined, memory.most);
      if (turn) return { turn: remember(turn), isShortened: false };
      const outlined = await outlineTurn(db, turnId);
      return outlined && loadPart(outlined);
    },
    sizeOf: (turn) => turn.outlinedBytes ?? known.get(turn.id)?.size ?? sizeOf(turn, sizeOfRequest(turn)),
    keep: (turn, { inputs, wakeups }) => {
      const entry = turn && known.get(turn.id);
      if (!entry || inputs > turn.joined.length) return;
      const left = { turn: withLease(turn, wakeups), until: performance.now() + LEFT_MS };
      known.set(turn.id, { ...entry, left, size: sizeOf(turn, entry.requestSize) });
    },
    invalidate: (turnId) => {
      const entry = known.get(turnId);
      if (entry) entry.left = null;
    },
  };
}

function readNow(turn: Turn, before: CachedTurn | undefined): CachedTurn {
  const requestSize = before?.requestSize ?? sizeOfRequest(turn);
  const deadlineAt = performance.now() + (turn.work.deadlineInMs ?? Number.POSITIVE_INFINITY);
  return { turn, requestSize, size: sizeOf(turn, requestSize), deadlineAt, left: null };
}

/** Returns the turn with the lease that the commit has given to the run that continues. */
function withLease(turn: Turn, wakeups: Wakeup[]): Turn {
  const runId = continuedStep(wakeups)?.nextRun;
  return runId ? predictLeased(turn, runId) : turn;
}

/** Returns the turn that a commit has left, and forgets it. A redelivered job reads the current turn. */
function takeLeft(entry: CachedTurn): Turn | null {
  const { left, deadlineAt } = entry;
  entry.left = null;
  const now = performance.now();
  if (!left || now > left.until) return null;
  const { work } = left.turn;
  const deadlineInMs = work.deadlineInMs === null ? null : deadlineAt - now;
  return { ...left.turn, work: { ...work, deadlineInMs, overdue: now >= deadlineAt } };
}

function sizeOfRequest({ config, input, joined }: Turn): number {
  return JSON.stringify([config, input, joined]).length;
}

function bytesOf(outlined: OutlinedTurn): number {
  const whole: LoadingPlan = { first: 0, last: 0, shortened: null };
  return bytesLoaded([outlined], whole)[0] ?? 0;
}

/** Returns about how many characters a turn takes up. Its request never changes, so it is counted once. */
function sizeOf(turn: Turn, requestSize: number): number {
  const said = turn.rounds.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  const called = allCalls(turn).reduce((sum, { arguments: args, result }) => {
    return sum + args.length + (result?.content?.length ?? 0);
  }, 0);
  return requestSize + said + called;
}
