import type { Turn } from '../turn.ts';
import { findInEffect, type HistoryTurn, type Place, replacesAny } from './sent-history.ts';
import { MOST_OF_RESULT } from './summary-prompt.ts';

/**
 * Bytes of a turn without its rounds, and of each round. `results` are those of successful calls. Round 0 has
 * adopted calls.
 */
export type TurnBytes = { request: number; rounds: { number: number; bytes: number; results: number }[] };

/** A turn without its texts, and the bytes of these texts. */
export type OutlinedTurn = { turn: HistoryTurn; bytes: TurnBytes };

/**
 * The turns to load, by their index in the history. Up to `shortened`, results are loaded with at most `characters`.
 */
export type LoadingPlan = { first: number; last: number; shortened: (Place & { characters: number }) | null };

/** Characters of a shortened result: more than a note has, so that the note replaces a dropped result. */
const DROPPED_CHARACTERS = 100;

const LAST_ROUND = 2 ** 31 - 1;

/**
 * Plans to load all that effective compactions have not replaced, of a thread that ends with the turn of the next
 * round.
 */
export function planLoading(thread: readonly HistoryTurn[]): LoadingPlan {
  const summarized = findInEffect(thread, 'summarize');
  const dropped = findInEffect(thread, 'drop_tool_results');
  return {
    first: summarized?.upTo.index ?? 0,
    last: thread.length - 1,
    shortened: dropped ? { ...dropped.upTo, characters: DROPPED_CHARACTERS } : null,
  };
}

/** Returns the same plan with every result shortened. This is enough to plan a compaction and to summarize. */
export function planShortened(plan: LoadingPlan, characters = DROPPED_CHARACTERS): LoadingPlan {
  return { ...plan, shortened: { index: plan.last, round: LAST_ROUND, characters } };
}

/** Returns the bytes of each outlined turn that a plan loads. */
export function bytesLoaded(outline: readonly OutlinedTurn[], { first, last, shortened }: LoadingPlan): number[] {
  return outline.map(({ bytes }, index) => {
    if (index < first || index > last) return 0;
    return bytes.rounds.reduce((sum, round) => {
      const isShort = isShortened(shortened, { index, round: round.number });
      return sum + round.bytes + (isShort ? 0 : round.results);
    }, bytes.request);
  });
}

/** Excludes results of adopted calls, since the turn of the next round determines which are dropped. */
function isShortened(shortened: Place | null, { index, round }: Place): boolean {
  if (!shortened || round === 0) return false;
  return index < shortened.index || (index === shortened.index && round <= shortened.round);
}

/** Replaces outlined turns by loaded turns. */
export function fillOutline(outline: readonly OutlinedTurn[], loaded: readonly HistoryTurn[]): HistoryTurn[] {
  const byId = new Map<Turn['id'], HistoryTurn>(loaded.map((turn) => [turn.id, turn]));
  return outline.map(({ turn }) => byId.get(turn.id) ?? turn);
}

/** Plans to load a turn without compacted results. If that exceeds `most` bytes, all its results are shortened. */
export function planOwn(outlined: OutlinedTurn, most: number): { plan: LoadingPlan; isShortened: boolean } {
  const { id, compactions } = outlined.turn;
  const rounds = compactions
    .filter(replacesAny)
    .flatMap(({ upToTurn, upToRound }) => (upToTurn === id ? [upToRound] : []));
  const whole: LoadingPlan = { first: 0, last: 0, shortened: null };
  const round = Math.max(0, ...rounds);
  const plan = { ...whole, shortened: { index: 0, round, characters: MOST_OF_RESULT } };
  const isShortened = (bytesLoaded([outlined], plan)[0] ?? 0) > most;
  return isShortened ? { plan: planShortened(whole, MOST_OF_RESULT), isShortened } : { plan, isShortened };
}
