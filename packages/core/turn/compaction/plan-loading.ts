import type { Turn } from '../turn.ts';
import { findInEffect, type HistoryTurn, type Place, replacesAny } from './sent-history.ts';
import { MOST_OF_RESULT } from './summary-prompt.ts';

/** Bytes of a turn beside its rounds, and of each round; `results` are those of successful calls. Round 0 has adopted calls. */
export type TurnBytes = { request: number; rounds: { number: number; bytes: number; results: number }[] };

/** A turn without its texts, and the bytes of these. */
export type OutlinedTurn = { turn: HistoryTurn; bytes: TurnBytes };

/** The turns to load, by their places. Up to `shortened`, results are loaded with at most `characters`. */
export type LoadingPlan = { first: number; last: number; shortened: (Place & { characters: number }) | null };

/** Long enough for a result to become a note once it is dropped. */
const DROPPED_CHARACTERS = 100;

const LAST_ROUND = 2 ** 31 - 1;

/** Everything that compactions in effect have not replaced, of a line that ends with the turn whose round is asked. */
export function planLoading(line: readonly HistoryTurn[]): LoadingPlan {
  const summarized = findInEffect(line, 'summarize');
  const dropped = findInEffect(line, 'drop_tool_results');
  return {
    first: summarized?.upTo.index ?? 0,
    last: line.length - 1,
    shortened: dropped ? { ...dropped.upTo, characters: DROPPED_CHARACTERS } : null,
  };
}

/** The same plan with every result shortened: enough to decide what is compacted, and to summarize it. */
export function planShortened(plan: LoadingPlan, characters = DROPPED_CHARACTERS): LoadingPlan {
  return { ...plan, shortened: { index: plan.last, round: LAST_ROUND, characters } };
}

/** Bytes of each outlined turn as a plan loads it. */
export function bytesLoaded(outline: readonly OutlinedTurn[], { first, last, shortened }: LoadingPlan): number[] {
  return outline.map(({ bytes }, index) => {
    if (index < first || index > last) return 0;
    return bytes.rounds.reduce((sum, round) => {
      const isShort = isShortened(shortened, { index, round: round.number });
      return sum + round.bytes + (isShort ? 0 : round.results);
    }, bytes.request);
  });
}

/** Results of adopted calls are whole: which of them are dropped depends on the turn whose round is asked. */
function isShortened(shortened: Place | null, { index, round }: Place): boolean {
  if (!shortened || round === 0) return false;
  return index < shortened.index || (index === shortened.index && round <= shortened.round);
}

/** Puts loaded turns in the place of outlined ones. */
export function fillOutline(outline: readonly OutlinedTurn[], loaded: readonly HistoryTurn[]): HistoryTurn[] {
  const byId = new Map<Turn['id'], HistoryTurn>(loaded.map((turn) => [turn.id, turn]));
  return outline.map(({ turn }) => byId.get(turn.id) ?? turn);
}

/** Loads a turn of more than `most` bytes without compacted results, or else with all its results shortened. */
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
