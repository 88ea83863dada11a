import type { Left } from '../fault.ts';
import { CHECKPOINT, type Table, TURNS, type Up, WORKER } from '../guards/guard.ts';
import { FAULTS_OF_ROUND, type May, type RoundRules, roundModel } from '../shared/round-moves.ts';
import { firstRound, type RoundState } from '../shared/round-state.ts';
import { type By, endRound, failRound, isOnStep, mayGiveUp, postpone, wake } from '../shared/round-writes.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const twoTold = 'two runs published pieces under one attempt number';

/** The guards that keep two runs from publishing pieces of a round under one number: R18. */
const editionGuards = {
  leaseRaisesEdition: {
    ...{ rule: 'R18', file: `${TURNS}/lease.ts` },
    code: 'leaseFor(sql"runId"), starts = starts + 1, edition = edition + 1',
    without: 'a lease is taken without its own attempt number',
    ...{ faults: { crash: 1 }, caught: 'a reply was saved under the attempt number of another run' },
  },
  unleasedRunTellsNothing: {
    ...{ rule: 'R18', file: `${WORKER}/round/publish-round.ts`, code: 'if (edition === null || isOver) return;' },
    without: 'a run without a lease publishes pieces under attempt number 0',
    ...{ faults: { duplicate: 1 }, caught: twoTold },
  },
  saveReadsLockedEdition: {
    ...{ rule: 'R18', file: `${TURNS}/commits/write-reply.ts`, code: 'edition = editionNext(savedEdition)' },
    without: 'a reply is saved under the attempt number that its run has read',
    ...{ faults: { duplicate: 1 }, caught: 'a reply was saved under the attempt number of another run' },
  },
  saveIsNewest: {
    ...{ rule: 'R18', file: `${CHECKPOINT}/sql/edition.ts` },
    code: 'case when "ownEdition" = work.edition - 1 then "ownEdition" else work.edition end',
    without: 'a reply is saved under the attempt number of its run although a later number was assigned',
    ...{ faults: { stall: 1 }, caught: 'a piece was published under a higher attempt number than the saved number' },
  },
  toldEditionIsKept: {
    ...{ rule: 'R18', file: `${CHECKPOINT}/sql/edition.ts` },
    code: 'case when not told and "ownEdition" = work.edition - 1 then "ownEdition" else work.edition end',
    without: 'a postponed round returns its attempt number although pieces were published',
    ...{ faults: { later: 1 }, caught: twoTold },
  },
  onlyNewestIsReturned: {
    ...{ rule: 'R18', file: `${CHECKPOINT}/sql/edition.ts` },
    code: 'case when not told and "ownEdition" = work.edition - 1 then "ownEdition" else work.edition end',
    without: 'a postponed round returns its attempt number although a later number was assigned',
    ...{ faults: { duplicate: 1, stall: 2, later: 1 } },
    caught: 'a reply was saved under a lower attempt number than a published piece',
  },
  untoldEditionIsReturned: {
    ...{ rule: 'R18', file: `${CHECKPOINT}/sql/edition.ts` },
    code: 'case when not told and "ownEdition" = work.edition - 1 then "ownEdition" else work.edition end',
    without: 'a round that is postponed before its first piece keeps its attempt number',
    ...{ faults: { later: 1 }, caught: 'a round that was postponed before its first piece got a new attempt number' },
  },
  retryKeepsEdition: {
    ...{ rule: 'R18', file: `${TURNS}/commits/write-ending.ts`, code: 'then 1 else next_edition + 1 end' },
    without: 'a reopened turn restarts its attempt numbers',
    ...{ faults: { definite: 1, retry: 1 }, caught: twoTold },
  },
} satisfies Table;

type EditionGuards = Up<typeof editionGuards>;

/** `edition`: the attempt number for the next lease. `saved`: the number of the round, after it is saved. */
type EditionTurn = { edition: number; saved: number | null };

/** The attempt number that a run got with its lease or read, and whether it has published a piece. */
type EditionRun = { edition: number | null; saw: number; told: boolean };

/** One round of one turn, and the runs that may be on it. Each may publish pieces of its reply. */
type EditionState = RoundState<EditionTurn, EditionRun> & {
  /** The publisher under each attempt number: a slot, or an ended run. */
  told: (number | 'over' | 'nobody')[];
};
type Write = By<EditionState, EditionGuards>;

/** The model of the attempt numbers of one round (R18). */
export const editionSuite: Suite = suiteOf({
  promise: 'two runs never publish pieces of a round under one attempt number',
  guards: editionGuards,
  modelOf: (guards: EditionGuards, { faults }: { faults: Left }) => roundModel(rules, guards, faults),
  // Any two kinds of faults together.
  scenes: ({ each }) =>
    withFaults('editions', [
      ...FAULTS_OF_ROUND.flatMap((one, index) =>
        FAULTS_OF_ROUND.slice(index + 1).map((other) => ({ [one]: each, [other]: each, definite: 1, retry: 1 })),
      ),
      ...[
        { crash: 1, duplicate: 1, later: 1 },
        { stall: 1, duplicate: 1, lostAck: 1 },
      ],
      { backlog: 1, stall: 1, flush: 1 },
    ]),
});

const rules: RoundRules<EditionState, EditionGuards> = {
  first: { ...firstRound({ edition: 0, saved: null }, { edition: null, saw: 0, told: false }), told: [] },
  load: ({ state, run }, as) => {
    run.saw = as === 'cached' ? 0 : state.turn.edition;
  },
  leased: takeEdition,
  left: (state, slot) => {
    state.told = state.told.map((teller) => (teller === slot ? 'over' : teller));
  },
  hear,
  commits: { saving: saveReply, postponing: postponeEdition, failing: failEdition },
  retry: (state, guards) => {
    wake(state);
    if (!guards.retryKeepsEdition) state.turn.edition = 0;
  },
};

/** Models `begin.ts`, `takeLease` and the first heartbeat: the lease and its attempt number are one write (R18). */
function takeEdition({ state: { turn }, slot, run, guards }: Write): void {
  if (turn.owner === slot) run.edition = turn.edition - 1;
  else {
    run.edition = turn.edition;
    if (guards.leaseRaisesEdition) turn.edition += 1;
  }
}

function hear(
  run: EditionRun & { isLost: boolean },
  may: May<EditionState, EditionGuards>,
  guards: EditionGuards,
): void {
  if (run.edition !== null || !guards.unleasedRunTellsNothing) may('publishes a piece', tellPiece);
  may('gets its reply', (by) => Object.assign(by.run, { at: 'saving' }));
  if (run.isLost) return;
  may('gets a temporary error', (by) => Object.assign(by.run, { at: 'postponing' }), 'later');
  may('gets a permanent error', (by) => Object.assign(by.run, { at: 'failing' }), 'definite');
}

/** Publishes a piece of the reply to its watchers. */
function tellPiece({ state, slot, run }: Write): void {
  const { turn, told } = state;
  const edition = run.edition ?? 0;
  const teller = told[edition] ?? 'nobody';
  if (teller !== 'nobody' && teller !== slot) state.broken ??= 'two runs published pieces under one attempt number';
  if (turn.status === 'saved' && edition > (turn.saved ?? 0))
    state.broken ??= 'a piece was published under a higher attempt number than the saved number';
  for (let index = 0; index <= edition; index += 1) told[index] ??= 'nobody';
  told[edition] = slot;
  run.told = true;
}

/**
 * Models `save-round.ts` and `end.ts`: the first write wins, under its own attempt number or, after another lease,
 * the next.
 */
function saveReply(by: Write): void {
  const { state, slot, run, guards } = by;
  const { turn, told } = state;
  if (!isOnStep(by)) return;
  const now = guards.saveReadsLockedEdition ? turn.edition : run.saw;
  const isNewest = run.edition !== null && run.edition === now - 1;
  const isOwn = guards.saveIsNewest ? isNewest : run.edition !== null;
  const edition = isOwn ? (run.edition ?? 0) : now;
  const teller = told[edition] ?? 'nobody';
  if (teller !== 'nobody' && teller !== slot)
    state.broken ??= 'a reply was saved under the attempt number of another run';
  if (told.slice(edition + 1).some((above) => above !== 'nobody'))
    state.broken ??= 'a reply was saved under a lower attempt number than a published piece';
  endRound(by, 'saved');
  turn.saved = edition;
}

/** Models `postpone.ts` (R5): a run that published no piece returns its attempt number, if it is the newest. */
function postponeEdition(by: Write): void {
  const { state, run, guards } = by;
  const { turn } = state;
  if (!mayGiveUp(by)) return;
  const isNewest = run.edition !== null && turn.edition === run.edition + 1;
  const mayReturn = run.told ? !guards.toldEditionIsKept : true;
  if (run.edition !== null && mayReturn && (isNewest || !guards.onlyNewestIsReturned)) {
    if (guards.untoldEditionIsReturned) turn.edition = run.edition;
    else if (!run.told) state.broken ??= 'a round that was postponed before its first piece got a new attempt number';
  }
  postpone(by);
}

/** Fails the turn. Its event has an attempt number, so the next attempt gets another number. */
function failEdition(by: Write): void {
  if (mayGiveUp(by)) by.state.turn.edition += 1;
  failRound(by);
}
