import type { Left } from '../fault.ts';
import { MAY_GIVE_UP, type Table, TURNS, type Up, WORKER } from '../guards/guard.ts';
import { FAULTS_OF_ROUND, type May, type RoundRules, roundModel } from '../shared/round-moves.ts';
import { type Commit, firstRound, type RoundState } from '../shared/round-state.ts';
import { type By, endRound, failRound, isOnStep, mayGiveUp, postpone, wake } from '../shared/round-writes.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const CHANGE = `${TURNS}/change-model.ts`;
const wrongModel = 'a turn left a model that it did not ask';
const leftReply = 'a reply of a former model was saved';

/** The guards that keep a turn from asking its models out of order or in vain: R24. */
const fallbackGuards = {
  changeIsCommittedFirst: {
    ...{ rule: 'R24', file: `${WORKER}/round/retry-round.ts` },
    code: 'if (to) return leaveModel(run, ...unanswered, to , context);',
    without: 'a run asks the next model before the change to it is committed',
    ...{ faults: { definite: 1 }, caught: 'a model was asked before the change to it was committed' },
  },
  leaseChecksModel: {
    ...{ rule: 'R24', file: `${TURNS}/lease.ts`, code: 'at_head and model = "ownModel" and work.step' },
    without: 'a run that loaded the turn before the change takes its lease after it',
    ...{ faults: { duplicate: 1, definite: 1 }, caught: 'a former model was asked again' },
  },
  changeChecksLease: {
    ...{ rule: 'R24', file: CHANGE, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a run without the lease leaves a model while another run asks it',
    ...{ faults: { duplicate: 1, definite: 1 }, caught: 'a model was left while another run asked it' },
  },
  changeChecksGeneration: {
    ...{ rule: 'R24', file: CHANGE, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a run without the lease leaves a model of an earlier generation',
    ...{ faults: { lostAck: 1, definite: 1 }, caught: wrongModel },
  },
  changeRaisesGeneration: {
    ...{ rule: 'R24', file: CHANGE, code: 'generation = work.generation + 1' },
    without: 'a change of models does not raise the generation',
    ...{ faults: { lostAck: 1, definite: 1 }, caught: wrongModel },
  },
  changeClearsTries: {
    ...{ rule: 'R24', file: CHANGE, code: 'freshStep, waited_ms = 0' },
    without: 'failed attempts of the former model count for the next model',
    ...{ faults: { later: 3 }, caught: 'a model was left before its attempts were used up' },
  },
  changeIsDue: {
    ...{ rule: 'R24', file: CHANGE, code: 'due_at = case when slot is null then dueIn(timing.graceMs)' },
    without: 'a change of models sets no due time',
    ...{ faults: { definite: 1, flush: 1 }, caught: 'stuck' },
  },
  leftModelSavesNoRound: {
    ...{ rule: 'R24', file: `${TURNS}/commits/write-reply.ts` },
    code: `work.step = 'r' || "roundNumber" and work.model = input.model`,
    without: 'a late reply with calls is saved after a change of models',
    ...{ faults: { duplicate: 1, definite: 1 }, caught: leftReply },
  },
  leftModelAnswersNothing: {
    ...{ rule: 'R24', file: `${TURNS}/commits/write-ending.ts` },
    code: '("roundNumber" is null or work.model = input.model)',
    without: 'a late answer is saved after a change of models',
    ...{ faults: { duplicate: 1, definite: 1 }, caught: leftReply },
  },
} satisfies Table;

type FallbackGuards = Up<typeof fallbackGuards>;

/** The last of a turn's models, which are numbered from 0, and the attempts of each model. */
const LAST_MODEL = 2;
const MOST_TRIES = 2;

/** The present model and the failed attempts of the step. A run has loaded both. */
type Asked = { model: number; attempts: number };

/** One round of one turn, and the runs that may ask its models. */
type FallbackState = RoundState<Asked, Asked & { isAnswer: boolean }> & {
  /** How often the turn's present model has failed. */
  tries: number;
};
type Write = By<FallbackState, FallbackGuards>;

/** The model of a round that may be sent to several models (R24). */
export const fallbackSuite: Suite = suiteOf({
  promise: 'a turn asks its models in order, each for all its attempts',
  guards: fallbackGuards,
  modelOf: (guards: FallbackGuards, { faults }: { faults: Left }) => roundModel(rules, guards, faults),
  scenes: ({ each }) =>
    withFaults('fallback', [
      ...FAULTS_OF_ROUND.map((one) => ({ definite: 3, later: 2, retry: 1, [one]: one === 'later' ? each + 2 : each })),
      ...[
        { definite: 3, crash: 1, duplicate: 1 },
        { definite: 2, stall: 1, duplicate: 1 },
      ],
      ...[
        { definite: 2, lostAck: 1, flush: 1, backlog: 1 },
        { later: 4, crash: 1 },
      ],
    ]),
});

const FIRST: Asked = { model: 0, attempts: 0 };

const rules: RoundRules<FallbackState, FallbackGuards> = {
  first: { ...firstRound(FIRST, { ...FIRST, isAnswer: false }), tries: 0 },
  load: ({ state: { turn }, run }, as) => {
    const { model, attempts } = as === 'cached' ? FIRST : turn;
    Object.assign(run, { model, attempts });
  },
  begin: askModel,
  isStale: ({ state, run }) => run.model !== state.turn.model,
  refusesStale: ({ leaseChecksModel }) => leaseChecksModel,
  stale: 'a former model was asked again',
  hear,
  commits: { saving: saveReply, postponing: postponeRound, changing: changeModel, failing: failTurn },
  retry: (state) => {
    wake(state);
    Object.assign(state.turn, FIRST);
    state.tries = 0;
  },
};

/** Sends a request to the model that the run has loaded. */
function askModel({ state, run }: Write): void {
  run.at = 'asking';
  if (state.turn.status === 'active' && run.model > state.turn.model)
    state.broken ??= 'a model was asked before the change to it was committed';
}

function hear({ isLost, model }: Write['run'], may: May<FallbackState, FallbackGuards>): void {
  may('gets an answer', ({ run }) => Object.assign(run, { at: 'saving', isAnswer: true }));
  may('gets calls', ({ run }) => Object.assign(run, { at: 'saving', isAnswer: false }));
  if (isLost) return;
  may('gets a temporary error', (by) => leaveOr(by, afterFailure(by)), 'later');
  may('gets a permanent error', (by) => leaveOr(by, model < LAST_MODEL ? 'changing' : 'failing'), 'definite');
}

/** Follows a transient failure of the model (`retry.ts`): the run counts the attempts that it has loaded. */
function afterFailure({ state, run }: Write): Commit {
  if (run.attempts + 1 < MOST_TRIES) return 'postponing';
  const isCurrent = run.model === state.turn.model && run.isFresh;
  if (isCurrent && state.tries + 1 < MOST_TRIES) state.broken ??= 'a model was left before its attempts were used up';
  return run.model < LAST_MODEL ? 'changing' : 'failing';
}

function leaveOr(by: Write, commit: Commit): void {
  by.run.at = commit;
  if (commit !== 'changing' || by.guards.changeIsCommittedFirst) return;
  by.run.model += 1;
  askModel(by);
}

/** Models `save-round.ts` and `end.ts` (R5, R24). */
function saveReply(by: Write): void {
  const { state, run, guards } = by;
  if (!isOnStep(by)) return;
  const isChecked = run.isAnswer ? guards.leftModelAnswersNothing : guards.leftModelSavesNoRound;
  if (run.model !== state.turn.model && isChecked) return;
  if (run.model !== state.turn.model) state.broken ??= 'a reply of a former model was saved';
  endRound(by, 'saved');
}

/** Models `change-model.ts` (R24). */
function changeModel(by: Write): void {
  const { state, run, slot, guards } = by;
  const { turn } = state;
  if (!mayGiveUp(by, { lease: guards.changeChecksLease, generation: guards.changeChecksGeneration })) return;
  if (run.model !== turn.model) state.broken ??= 'a turn left a model that it did not ask';
  if (turn.lease === 'live' && turn.owner !== slot) state.broken ??= 'a model was left while another run asked it';
  postpone(by, guards.changeRaisesGeneration);
  turn.model = run.model + 1;
  if (!guards.changeIsDue) turn.due = 'never';
  if (guards.changeClearsTries) turn.attempts = 0;
  state.tries = 0;
}

/** Models `postpone.ts` (R5): the attempt counts. */
function postponeRound(by: Write): void {
  if (!mayGiveUp(by)) return;
  postpone(by);
  by.state.turn.attempts += 1;
  by.state.tries += 1;
}

/** Ends the turn negatively (R5), only at the last model. */
function failTurn(by: Write): void {
  const isLeft = by.state.turn.model < LAST_MODEL;
  if (isLeft && mayGiveUp(by)) by.state.broken ??= 'a turn failed although it had another model';
  failRound(by);
}
