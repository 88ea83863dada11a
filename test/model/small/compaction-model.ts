import type { Emit } from '../explore/model.ts';
import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { type Table, TURN, TURNS, type Up, WORKER } from '../guards/guard.ts';
import { addJob, isForgotten, type MayRun, moveRuns } from '../shared/move-runs.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const SAVE = `${TURNS}/compaction/save-compaction.ts`;
const COMPACT = `${WORKER}/round/compact-history.ts`;
const askedAgain = 'a summary was requested again';

/** The guards of the history that a round sends: R23. */
const compactionGuards = {
  compactionChecksStep: {
    ...{ rule: 'R23', file: SAVE, code: `status = 'in_progress' and step = 'r' || round` },
    without: 'a run compacts the history of an ended turn',
    ...{ faults: { cancel: 1 }, caught: 'a history was compacted after the end of its turn' },
  },
  firstCompactionWins: {
    ...{ rule: 'R23', file: SAVE, code: 'coalesce(compacted_before, 0) < round' },
    without: 'two runs compact the history of one round',
    ...{ faults: { duplicate: 1 }, caught: 'the history of a round was compacted twice' },
  },
  planLooksForCompaction: {
    ...{ rule: 'R23', file: `${TURN}/compaction/plan-compaction.ts` },
    code: 'turn.compactions.some((compaction) => compaction.round === round)',
    without: 'a job does not check whether its round has a summary',
    ...{ faults: { crash: 1 }, caught: askedAgain },
  },
  emptySummaryIsNoted: {
    ...{ rule: 'R23', file: COMPACT, code: 'summary: isUsed ? written.summary : null' },
    without: 'no record of an empty or too long summary is kept',
    ...{ faults: { crash: 1 }, caught: askedAgain },
  },
  loserReadsWhatIsKept: {
    ...{ rule: 'R23', file: COMPACT, code: 'if (!saved) return goOnWithSaved(run, plan.round, context)' },
    without: 'a run asks its round with its own compaction although another run saved first',
    ...{ faults: { duplicate: 1 }, caught: 'a round was asked with a history that is not saved' },
  },
  deletedIsNotSent: {
    ...{ rule: 'R23', file: `${TURN}/compaction/sent-history.ts` },
    code: 'summary !== null && leftOut === leftOutOf(covered)',
    without: 'a summary is sent although it contains deleted content',
    ...{ faults: { crash: 1, delete: 1 }, caught: 'a model received deleted content' },
  },
} satisfies Table;

type CompactionGuards = Up<typeof compactionGuards>;

/**
 * The compaction that was written for the round: its request, whether its summary is empty, and the deletions before
 * it.
 */
type KeptCompaction = { ask: number; isEmpty: boolean; deletions: number };

/** One round with a history that must become shorter, its job, and the runs that may be on it. */
type CompactionState = Kept & {
  status: 'active' | 'replied' | 'cancelled';
  kept: KeptCompaction | null;
  deletions: number;
  jobs: number;
  /** The summary requests so far, and whether the outcome of one request was saved. */
  asks: number;
  isSettled: boolean;
  runs: CompactionRun[];
};

type CompactionRun = {
  at: 'idle' | 'loaded' | 'asking' | 'saving' | 'ready' | 'replying';
  /** The compaction of the round and the number of deletions, as the run loaded or later read them. */
  kept: KeptCompaction | null;
  deletions: number;
  /** Whether a summary had been settled when the run loaded. */
  knewSettled: boolean;
};

const IDLE: CompactionRun = { at: 'idle', kept: null, deletions: 0, knewSettled: false };

/** The model of the compaction before one round (R23). */
export const compactionSuite: Suite = suiteOf({
  promise: 'a history is compacted once before a round, without deleted content',
  guards: compactionGuards,
  modelOf: (guards: CompactionGuards, { faults }: { faults: Left }) =>
    plainModel<CompactionState>({
      first: {
        ...{ status: 'active', kept: null, deletions: 0, jobs: 1, asks: 0, isSettled: false },
        runs: [{ ...IDLE }, { ...IDLE }],
      },
      faults,
      movesOf: (state, emit) => {
        suffer(state, emit);
        moveRuns(state, emit, (run, may) => moveRun(state, { run, guards, may }));
      },
      isDone: ({ status }) => status !== 'active',
    }),
  scenes: ({ each }) =>
    withFaults('compactions', [
      { crash: each, duplicate: each, lostAck: each },
      { crash: each, duplicate: each, lostAck: each, cancel: 1 },
      { crash: each, duplicate: each, delete: each + 1 },
      { crash: 2, duplicate: 2, lostAck: 1 },
    ]),
});

function suffer(state: CompactionState, emit: Emit<CompactionState>): void {
  if (state.status === 'active' && isForgotten(state)) emit('a rescue', addJob);
  if (state.jobs > 0) emit('the job is delivered twice', addJob, 'duplicate');
  if (state.status === 'active') emit('a cancel', (after) => Object.assign(after, { status: 'cancelled' }), 'cancel');
  emit('a delete', (after) => Object.assign(after, { deletions: after.deletions + 1 }), 'delete');
}

type Mover = { run: CompactionRun; guards: CompactionGuards; may: MayRun<CompactionState> };

function moveRun({ jobs }: CompactionState, { run, guards, may }: Mover): void {
  if (run.at !== 'idle') may('dies, and its job is delivered again', leaveJob, 'crash');
  switch (run.at) {
    case 'idle':
      if (jobs > 0) may('takes the job and loads the turn', load);
      break;
    case 'loaded':
      if (run.kept && guards.planLooksForCompaction)
        may('finds the compaction', (own) => Object.assign(own, { at: 'ready' }));
      else may('requests a summary', askSummary);
      break;
    case 'asking':
      for (const isEmpty of [false, true])
        may(`has ${isEmpty ? 'no summary' : 'a summary'}`, (own, after) => receive(own, after, isEmpty));
      break;
    case 'saving':
      may('saves', (own, after) => save(own, after, guards));
      may(
        'saves, and saves again because the answer is lost',
        (own, after) => saveTwice(own, after, guards),
        'lostAck',
      );
      break;
    case 'ready':
      may('asks the round', (own, after) => askRound(own, after, guards));
      break;
    case 'replying':
      may('saves the round', saveRound);
  }
}

function load(run: CompactionRun, after: CompactionState): void {
  after.jobs -= 1;
  if (after.status !== 'active') return;
  const { kept, deletions, isSettled } = after;
  Object.assign(run, { at: 'loaded', kept, deletions, knewSettled: isSettled });
}

function askSummary(run: CompactionRun, after: CompactionState): void {
  if (run.knewSettled) after.broken ??= 'a summary was requested again';
  after.asks += 1;
  run.at = 'asking';
}

function receive(run: CompactionRun, after: CompactionState, isEmpty: boolean): void {
  Object.assign(run, { at: 'saving', kept: { ask: after.asks, isEmpty, deletions: run.deletions } });
}

/** Models `save-compaction.ts`, and a run after its write was refused. */
function save(run: CompactionRun, after: CompactionState, guards: CompactionGuards): void {
  const isActive = after.status === 'active' || !guards.compactionChecksStep;
  const isFirst = after.kept === null || !guards.firstCompactionWins;
  if (run.kept?.isEmpty && !guards.emptySummaryIsNoted) {
    after.isSettled = true;
    run.at = 'ready';
  } else if (isActive && isFirst) write(run, after);
  else if (after.status === 'active') {
    if (guards.loserReadsWhatIsKept) run.kept = after.kept;
    run.at = 'ready';
  } else Object.assign(run, IDLE);
}

function write(run: CompactionRun, after: CompactionState): void {
  if (after.status !== 'active') after.broken ??= 'a history was compacted after the end of its turn';
  if (after.kept !== null) after.broken ??= 'the history of a round was compacted twice';
  after.kept = run.kept;
  after.isSettled = true;
  run.at = 'ready';
}

function saveTwice(run: CompactionRun, after: CompactionState, guards: CompactionGuards): void {
  save(run, after, guards);
  if (run.at === 'ready') save(run, after, guards);
}

/** Models `sent-history.ts`: a summary is sent if the history had no deletion since it was made. */
function askRound(run: CompactionRun, after: CompactionState, guards: CompactionGuards): void {
  const isKept = JSON.stringify(run.kept) === JSON.stringify(after.kept);
  const isNoted = !run.kept?.isEmpty || guards.emptySummaryIsNoted;
  if (after.status === 'active' && !isKept && isNoted)
    after.broken ??= 'a round was asked with a history that is not saved';
  const isChanged = run.kept?.deletions !== run.deletions;
  const isSent = !run.kept?.isEmpty && !(isChanged && guards.deletedIsNotSent);
  if (isSent && isChanged) after.broken ??= 'a model received deleted content';
  run.at = 'replying';
}

/** Models `save-round.ts`: the first write wins. */
function saveRound(run: CompactionRun, after: CompactionState): void {
  if (after.status === 'active') after.status = 'replied';
  Object.assign(run, IDLE);
}

function leaveJob(run: CompactionRun, after: CompactionState): void {
  addJob(after);
  Object.assign(run, IDLE);
}
