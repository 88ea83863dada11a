import type { Guards } from './guards/all-guards.ts';
import { set } from './set.ts';
import type { Setting } from './setting.ts';
import type { CachedStep, Run, State, Turn } from './state.ts';

/** A turn as a job finds it. `isFresh`: the row still has its step and generation. */
export type CachedTurn = { turn: Turn; isFresh: boolean };

/** Reads the turn as it is now, which empties the cache (`worker/turn-cache.ts`). */
export function readTurn(state: State, run: Run): CachedTurn {
  set(run, { cached: 'none', isPast: false });
  return { turn: state.turn, isFresh: true };
}

/** Returns the turn as the worker's own commit left it, even if the row has changed since (R3). It is used once. */
export function takeCached(state: State, run: Run, { scene }: Setting): CachedTurn {
  const turn = { ...CACHED, ...callsOf(run.cached, scene.calls) };
  run.cached = 'none';
  return { turn, isFresh: state.turn.step === turn.step && !state.turn.isRaised };
}

/** Caches the step that a commit of the worker made due, after its answer has arrived (`keep`). */
export function keepCached(run: Run, step: CachedStep, { scene, guards }: Setting): void {
  const isWaitedFor = scene.calls === 'client' || scene.calls === 'approval';
  if (isWaitedFor && (step !== 'b1' || guards.cacheSkipsWaitingCalls)) return;
  if (step === 'r2-open' && guards.cacheHasAllResults) return;
  run.cached = step;
}

/**
 * Expires the cache before a turn is nearly late, except that of a sleeping worker: its clock may stop, and the
 * answer to its commit may arrive when it wakes.
 */
export function expireCached({ runs }: State, guards: Guards): void {
  if (!guards.cacheExpires) return;
  for (const run of runs) if (!run.isAsleep) run.cached = 'none';
}

/**
 * The cached turn: uncontended, without a lease, of the first generation (`predictAfterRound`, `predictAfterBatch`).
 */
const CACHED: Omit<Turn, 'step' | 'once' | 'other' | 'expired'> = {
  ...{ status: 'in_progress', isRaised: false, lease: 'none', due: 'far', isEarly: false, atHead: true },
  ...{ claimed: false, expires: false },
};

const HANDED = { other: 'handed', expired: false } as const;

/**
 * Returns the calls of a cached turn. Only a mutant caches a waiting call. It does not know that the call waits, and
 * refuses it.
 */
function callsOf(
  cached: CachedStep,
  calls: Setting['scene']['calls'],
): Pick<Turn, 'step' | 'once' | 'other' | 'expired'> {
  if (calls === 'invalid') return { step: 'r2', once: 'ok', other: 'absent', expired: false };
  if (calls === 'handed')
    return { step: cached === 'b1' ? 'b1' : 'r2', once: cached === 'b1' ? 'none' : 'ok', ...HANDED };
  if (cached !== 'b1') return { step: 'r2', once: 'ok', other: cached === 'r2' ? 'ok' : 'able', expired: false };
  if (calls === 'tools') return { step: 'b1', once: 'none', other: 'able', expired: false };
  const isWaitedFor = calls === 'client' || calls === 'approval';
  return { step: 'b1', once: 'none', other: isWaitedFor ? 'waiting' : 'absent', expired: isWaitedFor };
}
