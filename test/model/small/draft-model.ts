import type { Left } from '../fault.ts';
import { CHECKPOINT, type Table, TURNS, type Up, WORKER } from '../guards/guard.ts';
import { FAULTS_OF_ROUND, type May, type RoundRules, roundModel } from '../shared/round-moves.ts';
import { firstRound, type RoundState } from '../shared/round-state.ts';
import { type By, endRound, failRound, isOnStep, mayGiveUp, postpone, wake } from '../shared/round-writes.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const twoPublished = 'two runs published pieces under one draft number';

/** The guards that keep two runs from publishing pieces of a round under one number: R18. */
const draftGuards = {
  leaseRaisesDraft: {
    ...{ rule: 'R18', file: `${TURNS}/lease.ts` },
    code: 'leaseFor(sql"runId"), starts = starts + 1, draft = draft + 1',
    without: 'a lease is taken without its own draft number',
    ...{ faults: { crash: 1 }, caught: 'a reply was saved under the draft number of another run' },
  },
  unleasedRunPublishesNothing: {
    ...{ rule: 'R18', file: `${WORKER}/round/publish-round.ts`, code: 'if (draft === null || isOver) return;' },
    without: 'a run without a lease publishes pieces under draft number 0',
    ...{ faults: { duplicate: 1 }, caught: twoPublished },
  },
  saveReadsLockedDraft: {
    ...{ rule: 'R18', file: `${TURNS}/commits/write-reply.ts`, code: 'draft = draftNext(savedDraft)' },
    without: 'a reply is saved under the draft number that its run has read',
    ...{ faults: { duplicate: 1 }, caught: 'a reply was saved under the draft number of another run' },
  },
  saveIsNewest: {
    ...{ rule: 'R18', file: `${CHECKPOINT}/sql/draft.ts` },
    code: 'case when "ownDraft" = work.draft - 1 then "ownDraft" else work.draft end',
    without: 'a reply is saved under the draft number of its run although a later number was assigned',
    ...{ faults: { stall: 1 }, caught: 'a piece was published under a higher draft number than the saved number' },
  },
  publishedDraftIsKept: {
    ...{ rule: 'R18', file: `${CHECKPOINT}/sql/draft.ts` },
    code: 'case when not published and "ownDraft" = work.draft - 1 then "ownDraft" else work.draft end',
    without: 'a postponed round returns its draft number although pieces were published',
    ...{ faults: { later: 1 }, caught: twoPublished },
  },
  onlyNewestIsReturned: {
    ...{ rule: 'R18', file: `${CHECKPOINT}/sql/draft.ts` },
    code: 'case when not published and "ownDraft" = work.draft - 1 then "ownDraft" else work.draft end',
    without: 'a postponed round returns its draft number although a later number was assigned',
    ...{ faults: { duplicate: 1, stall: 2, later: 1 } },
    caught: 'a reply was saved under a lower draft number than a published piece',
  },
  unpublishedDraftIsReturned: {
    ...{ rule: 'R18', file: `${CHECKPOINT}/sql/draft.ts` },
    code: 'case when not published and "ownDraft" = work.draft - 1 then "ownDraft" else work.draft end',
    without: 'a round that is postponed before its first piece keeps its draft number',
    ...{ faults: { later: 1 }, caught: 'a round that was postponed before its first piece got a new draft number' },
  },
  retryKeepsDraft: {
    ...{ rule: 'R18', file: `${TURNS}/commits/write-ending.ts`, code: 'then 1 else next_draft + 1 end' },
    without: 'a reopened turn restarts its draft numbers',
    ...{ faults: { definite: 1, retry: 1 }, caught: twoPublished },
  },
} satisfies Table;

type DraftGuards = Up<typeof draftGuards>;

/** `draft`: the draft number for the next lease. `saved`: the number of the round, after it is saved. */
type DraftTurn = { draft: number; saved: number | null };

/** The draft number that a run got with its lease or read, and whether it has published a piece. */
type DraftRun = { draft: number | null; saw: number; published: boolean };

/** One round of one turn, and the runs that may be on it. Each may publish pieces of its reply. */
type DraftState = RoundState<DraftTurn, DraftRun> & {
  /** The publisher under each draft number: a slot, or an ended run. */
  published: (number | 'over' | 'nobody')[];
};
type Write = By<DraftState, DraftGuards>;

/** The model of the draft numbers of one round (R18). */
export const draftSuite: Suite = suiteOf({
  promise: 'two runs never publish pieces of a round under one draft number',
  guards: draftGuards,
  modelOf: (guards: DraftGuards, { faults }: { faults: Left }) => roundModel(rules, guards, faults),
  // Any two kinds of faults together.
  scenes: ({ each }) =>
    withFaults('drafts', [
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

const rules: RoundRules<DraftState, DraftGuards> = {
  first: { ...firstRound({ draft: 0, saved: null }, { draft: null, saw: 0, published: false }), published: [] },
  load: ({ state, run }, as) => {
    run.saw = as === 'cached' ? 0 : state.turn.draft;
  },
  leased: takeDraft,
  left: (state, slot) => {
    state.published = state.published.map((publisher) => (publisher === slot ? 'over' : publisher));
  },
  hear,
  commits: { saving: saveReply, postponing: postponeDraft, failing: failDraft },
  retry: (state, guards) => {
    wake(state);
    if (!guards.retryKeepsDraft) state.turn.draft = 0;
  },
};

/** Models `begin.ts`, `takeLease` and the first heartbeat: the lease and its draft number are one write (R18). */
function takeDraft({ state: { turn }, slot, run, guards }: Write): void {
  if (turn.owner === slot) run.draft = turn.draft - 1;
  else {
    run.draft = turn.draft;
    if (guards.leaseRaisesDraft) turn.draft += 1;
  }
}

function hear(run: DraftRun & { isLost: boolean }, may: May<DraftState, DraftGuards>, guards: DraftGuards): void {
  if (run.draft !== null || !guards.unleasedRunPublishesNothing) may('publishes a piece', publishPiece);
  may('gets its reply', (by) => Object.assign(by.run, { at: 'saving' }));
  if (run.isLost) return;
  may('gets a temporary error', (by) => Object.assign(by.run, { at: 'postponing' }), 'later');
  may('gets a permanent error', (by) => Object.assign(by.run, { at: 'failing' }), 'definite');
}

/** Publishes a piece of the reply to its watchers. */
function publishPiece({ state, slot, run }: Write): void {
  const { turn, published } = state;
  const draft = run.draft ?? 0;
  const publisher = published[draft] ?? 'nobody';
  if (publisher !== 'nobody' && publisher !== slot) state.broken ??= 'two runs published pieces under one draft number';
  if (turn.status === 'saved' && draft > (turn.saved ?? 0))
    state.broken ??= 'a piece was published under a higher draft number than the saved number';
  for (let index = 0; index <= draft; index += 1) published[index] ??= 'nobody';
  published[draft] = slot;
  run.published = true;
}

/**
 * Models `save-round.ts` and `end.ts`: the first write wins, under its own draft number or, after another lease,
 * the next.
 */
function saveReply(by: Write): void {
  const { state, slot, run, guards } = by;
  const { turn, published } = state;
  if (!isOnStep(by)) return;
  const now = guards.saveReadsLockedDraft ? turn.draft : run.saw;
  const isNewest = run.draft !== null && run.draft === now - 1;
  const isOwn = guards.saveIsNewest ? isNewest : run.draft !== null;
  const draft = isOwn ? (run.draft ?? 0) : now;
  const publisher = published[draft] ?? 'nobody';
  if (publisher !== 'nobody' && publisher !== slot)
    state.broken ??= 'a reply was saved under the draft number of another run';
  if (published.slice(draft + 1).some((above) => above !== 'nobody'))
    state.broken ??= 'a reply was saved under a lower draft number than a published piece';
  endRound(by, 'saved');
  turn.saved = draft;
}

/** Models `postpone.ts` (R5): a run that published no piece returns its draft number, if it is the newest. */
function postponeDraft(by: Write): void {
  const { state, run, guards } = by;
  const { turn } = state;
  if (!mayGiveUp(by)) return;
  const isNewest = run.draft !== null && turn.draft === run.draft + 1;
  const mayReturn = run.published ? !guards.publishedDraftIsKept : true;
  if (run.draft !== null && mayReturn && (isNewest || !guards.onlyNewestIsReturned)) {
    if (guards.unpublishedDraftIsReturned) turn.draft = run.draft;
    else if (!run.published)
      state.broken ??= 'a round that was postponed before its first piece got a new draft number';
  }
  postpone(by);
}

/** Fails the turn. Its event has a draft number, so the next attempt gets another number. */
function failDraft(by: Write): void {
  if (mayGiveUp(by)) by.state.turn.draft += 1;
  failRound(by);
}
