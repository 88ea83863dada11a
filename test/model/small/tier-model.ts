import type { Left } from '../fault.ts';
import { CHECKPOINT, MAY_GIVE_UP, type Table, TURNS, type Up, WORKER } from '../guards/guard.ts';
import { FAULTS_OF_ROUND, type May, type RoundRules, roundModel } from '../shared/round-moves.ts';
import { firstRound, type RoundState } from '../shared/round-state.ts';
import { type By, endRound, failRound, isOnStep, mayGiveUp, postpone } from '../shared/round-writes.ts';
import { named, type Suite, suiteOf, withFaults } from '../suite.ts';

const POSTPONE = `${TURNS}/postpone.ts`;
const ROUND = `${WORKER}/round/retry-round.ts`;
const tooEarly = 'a round was asked on default before the change to it was committed';
const tooMany = 'a round counted more refusals than it received';

/** The guards that keep a round from leaving its tier too early, twice, or for longer than the round: R24. */
const tierGuards = {
  tierChangeIsCommittedFirst: {
    ...{ rule: 'R24', file: ROUND },
    code: "if (next.kind === 'change') return leaveTier(run, step, because: next.because , context);",
    without: 'a run asks on the next tier before the change to it is committed',
    ...{ faults: { refused: 3 }, caught: tooEarly },
  },
  leaseChecksTier: {
    ...{ rule: 'R24', file: `${TURNS}/lease.ts`, code: `tier_wait ->> 'tier' is not distinct from "ownTier"` },
    without: 'a run that loaded the turn before the change takes its lease after it',
    ...{ faults: { refused: 3, duplicate: 1 }, caught: 'a run took its step on the former tier' },
  },
  tierChangeChecksLease: {
    ...{ rule: 'R24', file: POSTPONE, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a run without the lease leaves a tier while another run asks on it',
    ...{ faults: { refused: 3, duplicate: 1, stall: 1 }, caught: 'a tier was left while another run asked on it' },
  },
  tierChangeChecksGeneration: {
    ...{ rule: 'R24', file: POSTPONE, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a refusal is committed again after a lost answer',
    ...{ faults: { refused: 1, lostAck: 1 }, caught: tooMany },
  },
  tierChangeRaisesGeneration: {
    ...{ rule: 'R24', file: POSTPONE, code: 'generation = work.generation + 1' },
    without: 'a refusal does not raise the generation',
    ...{ faults: { refused: 1, lostAck: 1 }, caught: tooMany },
  },
  tierChangeIsDue: {
    ...{ rule: 'R24', file: POSTPONE, code: 'update work set due_at = least(inMs(' },
    without: 'a change of tiers sets no due time',
    ...{ faults: { late: 1, flush: 1 }, caught: 'stuck' },
  },
  refusalUsesNoTry: {
    ...{ rule: 'R24', file: ROUND, code: 'counts: false, waitedMs: 0, lacksCapacity: true' },
    without: 'a refusal for lack of capacity uses an attempt',
    ...{ faults: { refused: 1, later: 1 }, caught: 'a turn failed before its attempts were used up' },
  },
  freshStepClearsTier: {
    ...{ rule: 'R24', file: `${CHECKPOINT}/sql/fresh-step.ts`, code: 'tier_wait: sql`null`' },
    without: 'the next round begins on the last tier of the former round',
    ...{ rounds: 2, faults: { refused: 2 }, caught: tooMany },
  },
} satisfies Table<{ rounds?: number }>;

type TierGuards = Up<typeof tierGuards>;

/** The refusals that a round accepts from `flex`, and the attempts of a round. */
const MOST_REFUSALS = 3;
const MOST_TRIES = 2;

/** `turns.tier_wait` with its refusals, and the failed attempts of the step. A run has loaded all three. */
type Asked = { tier: 'flex' | 'default'; refusals: number; attempts: number };

/** `isRefused`: the provider has refused the run. `isCounted`: a commit has counted the refusal. */
type TierRun = Asked & { isLate: boolean; isRefused: boolean; isCounted: boolean };

/** A turn on `flex` with a fallback, its rounds, and the runs that may ask them. */
type TierState = RoundState<Asked & { lastRound: number }, TierRun> & {
  /** Whether less than a fifth of the time to the deadline is left. */
  isLate: boolean;
  /** The committed history of the round: its changes of tier, each refusal once, each other failure once. */
  saw: { changes: number; refusals: number; failures: number };
};
type Write = By<TierState, TierGuards>;

/** The model of the tiers of a turn's rounds. A turn has one round by default (R24). */
export const tierSuite: Suite = suiteOf({
  promise: 'a round leaves its tier once, after three refusals',
  guards: tierGuards,
  modelOf: (guards: TierGuards, { rounds = 1, faults }: { rounds?: number; faults: Left }) => {
    const first = { ...rules.first, turn: { ...rules.first.turn, lastRound: rounds } };
    return roundModel({ ...rules, first }, guards, faults);
  },
  scenes: ({ each }) => [
    ...withFaults('tiers', [
      ...FAULTS_OF_ROUND.map((one) => ({ refused: 3, late: 1, [one]: each })),
      ...[
        { refused: 3, crash: 1, duplicate: 1 },
        { refused: 3, stall: 1, duplicate: 1 },
      ],
      ...[
        { refused: 3, lostAck: 1, flush: 1, backlog: 1 },
        { refused: 2, later: 2, crash: 1 },
      ],
    ]),
    ...named('tiers', [
      { rounds: 2, faults: { refused: 6, late: 1, crash: each } },
      { rounds: 2, faults: { refused: 3, duplicate: 1 } },
    ]),
  ],
});

const UNTRIED: Asked = { tier: 'flex', refusals: 0, attempts: 0 };
const UNSEEN = { changes: 0, refusals: 0, failures: 0 };

const rules: RoundRules<TierState, TierGuards> = {
  first: {
    ...firstRound({ ...UNTRIED, lastRound: 1 }, { ...UNTRIED, isLate: false, isRefused: false, isCounted: false }),
    ...{ isLate: false, saw: UNSEEN },
  },
  load: ({ state: { turn, isLate }, run }, as) => {
    const { tier, refusals, attempts } = as === 'cached' ? UNTRIED : turn;
    Object.assign(run, { tier, refusals, attempts, isLate });
  },
  begin: (by) => {
    if (by.run.tier === 'flex' && by.run.isLate) leaveTier(by);
    else askProvider(by);
  },
  isStale: ({ state, run }) => run.tier !== state.turn.tier,
  refusesStale: ({ leaseChecksTier }) => leaseChecksTier,
  stale: 'a run took its step on the former tier',
  hear,
  commits: {
    ...{ saving: saveReply, waiting: waitForCapacity, postponing: postponeRound },
    ...{ changing: changeTier, failing: failRound },
  },
  outside: ({ turn, isLate }, emit) => {
    if (turn.status === 'active' && !isLate)
      emit('the deadline is near', (after) => Object.assign(after, { isLate: true }), 'late');
  },
};

/** Models `leaveTier` of `retry-round.ts`. */
function leaveTier(by: Write): void {
  by.run.at = 'changing';
  if (by.guards.tierChangeIsCommittedFirst) return;
  by.run.tier = 'default';
  askProvider(by);
}

function askProvider(by: Write): void {
  const { state, run } = by;
  run.at = 'asking';
  if (isOnStep(by) && run.tier === 'default' && state.saw.changes === 0)
    state.broken ??= 'a round was asked on default before the change to it was committed';
}

/** Emits the replies. Only a request on `flex` is refused for lack of capacity. */
function hear({ isLost, tier }: TierRun & { isLost: boolean }, may: May<TierState, TierGuards>): void {
  may('gets a reply', ({ run }) => Object.assign(run, { at: 'saving' }));
  if (isLost) return;
  may('gets a temporary error', afterFailure, 'later');
  if (tier === 'flex') may('is refused for lack of capacity', afterRefusal, 'refused');
}

/** Models `retry-round.ts` after a failure: it counts the attempts that it has loaded. */
function afterFailure(by: Write): void {
  const { state, run } = by;
  run.at = run.attempts + 1 < MOST_TRIES ? 'postponing' : 'failing';
  if (run.at === 'failing' && run.isFresh && isOnStep(by) && state.saw.failures + 1 < MOST_TRIES)
    state.broken ??= 'a turn failed before its attempts were used up';
}

/** Models `retryWithCapacity` of `retry-round.ts`: it counts the refusals that it has loaded. */
function afterRefusal(by: Write): void {
  by.run.isRefused = true;
  if (by.run.refusals + 1 >= MOST_REFUSALS) leaveTier(by);
  else by.run.at = 'waiting';
}

/** Models `save-round.ts` and `write-ending.ts` (R5): the first reply is saved, on any tier. */
function saveReply(by: Write): void {
  const { state, slot, guards } = by;
  const { turn, queue } = state;
  if (!isOnStep(by)) return;
  if (turn.round === turn.lastRound) {
    endRound(by, 'saved');
    return;
  }
  const next = { round: turn.round + 1, attempts: 0, isRaised: false, owner: 'none', lease: 'none', due: 'far' };
  Object.assign(turn, next, guards.freshStepClearsTier ? UNTRIED : {});
  state.saw = { ...UNSEEN };
  state.cached = slot === 0 ? turn.round : 0;
  queue.old ||= queue.now;
  queue.now = true;
}

/** Models `postpone.ts` (R5) after a refusal for lack of capacity, which uses no attempt. */
function waitForCapacity(by: Write): void {
  if (!putOff(by)) return;
  countRefusal(by);
  if (!by.guards.refusalUsesNoTry) by.state.turn.attempts += 1;
}

/** Models `postpone.ts` (R5) after any other failure. */
function postponeRound(by: Write): void {
  if (!putOff(by)) return;
  by.state.turn.attempts += 1;
  by.state.saw.failures += 1;
}

/** Models `postpone.ts` with a tier (R24). */
function changeTier(by: Write): void {
  const { state, slot, run } = by;
  const { turn, saw } = state;
  const isOnByOther = turn.lease === 'live' && turn.owner !== slot;
  if (!putOff(by)) return;
  if (isOnByOther) state.broken ??= 'a tier was left while another run asked on it';
  if (saw.changes > 0) state.broken ??= 'a round changed its tier twice';
  if (run.isRefused) countRefusal(by);
  if (!run.isLate && saw.refusals < MOST_REFUSALS) state.broken ??= 'a tier was left before three refusals';
  turn.tier = 'default';
  saw.changes += 1;
}

/** Counts a refusal. A commit is repeated if its answer was lost, and the repeat must not count. */
function countRefusal({ state, run }: Write): void {
  const { turn, saw } = state;
  turn.refusals += 1;
  if (!run.isCounted) saw.refusals += 1;
  run.isCounted = true;
  if (turn.refusals > saw.refusals) state.broken ??= 'a round counted more refusals than it received';
}

/** Models `postpone.ts`. Returns whether it wrote. */
function putOff(by: Write): boolean {
  const { guards, state } = by;
  const checked = { lease: guards.tierChangeChecksLease, generation: guards.tierChangeChecksGeneration };
  if (!mayGiveUp(by, checked)) return false;
  postpone(by, guards.tierChangeRaisesGeneration);
  if (!guards.tierChangeIsDue) state.turn.due = 'never';
  return true;
}
