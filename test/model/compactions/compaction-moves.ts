import type { EmitPlain } from '../explore/plain-model.ts';
import type { CompactionGuards } from './compaction-guards.ts';
import { type CompactionFault, type CompactionRun, type CompactionState, idleRun } from './compaction-state.ts';

type Emit = EmitPlain<CompactionState, CompactionFault>;
type EmitRun = (
  verb: string,
  change: (after: CompactionState, run: CompactionRun) => void,
  fault?: CompactionFault,
) => void;

/** Emits all that may happen next to a round whose history is too long. */
export function movesOfCompaction(state: CompactionState, guards: CompactionGuards, emit: Emit): void {
  suffer(state, emit);
  state.runs.forEach((run, slot) => {
    const emitRun: EmitRun = (verb, change, fault) =>
      emit(`w${slot + 1} ${verb}`, (after) => change(after, runAt(after, slot)), fault);
    moveRun(state, run, { guards, emitRun });
  });
}

function suffer(state: CompactionState, emit: Emit): void {
  const isForgotten = state.jobs === 0 && state.runs.every(({ at }) => at === 'idle');
  if (state.status === 'active' && isForgotten) emit('a rescue', addJob);
  if (state.jobs > 0) emit('the job comes twice', addJob, 'duplicate');
  if (state.status === 'active') emit('a cancel', (after) => Object.assign(after, { status: 'cancelled' }), 'cancel');
  emit('a delete', (after) => Object.assign(after, { deletions: after.deletions + 1 }), 'delete');
}

function addJob(after: CompactionState): void {
  after.jobs += 1;
}

function moveRun(
  state: CompactionState,
  run: CompactionRun,
  { guards, emitRun }: { guards: CompactionGuards; emitRun: EmitRun },
): void {
  if (run.at !== 'idle') emitRun('dies, and its job comes again', leaveJob, 'crash');
  switch (run.at) {
    case 'idle':
      if (state.jobs > 0) emitRun('takes the job and loads the turn', load);
      break;
    case 'loaded':
      if (run.kept && guards.planLooksForCompaction)
        emitRun('finds the compaction', (_, at) => Object.assign(at, { at: 'ready' }));
      else emitRun('asks for a summary', askSummary);
      break;
    case 'asking':
      for (const isEmpty of [false, true])
        emitRun(`has ${isEmpty ? 'no summary' : 'a summary'}`, (after, at) => receive(after, at, isEmpty));
      break;
    case 'saving':
      emitRun('saves', (after, at) => save(after, at, guards));
      emitRun('saves, and tries again since no answer came', (after, at) => saveTwice(after, at, guards), 'lostAck');
      break;
    case 'ready':
      emitRun('asks the round', (after, at) => askRound(after, at, guards));
      break;
    case 'replying':
      emitRun('saves the round', saveRound);
  }
}

function load(after: CompactionState, run: CompactionRun): void {
  after.jobs -= 1;
  if (after.status !== 'active') return;
  const { kept, deletions, isSettled } = after;
  Object.assign(run, { at: 'loaded', kept, deletions, knewSettled: isSettled });
}

function askSummary(after: CompactionState, run: CompactionRun): void {
  if (run.knewSettled) after.broken ??= 'a summary was asked for again';
  after.asks += 1;
  run.at = 'asking';
}

function receive(after: CompactionState, run: CompactionRun, isEmpty: boolean): void {
  Object.assign(run, { at: 'saving', kept: { ask: after.asks, isEmpty, deletions: run.deletions } });
}

/** `save-compaction.ts`, and what a run does whose write was refused. */
function save(after: CompactionState, run: CompactionRun, guards: CompactionGuards): void {
  const isActive = after.status === 'active' || !guards.compactionChecksStep;
  const isFirst = after.kept === null || !guards.firstCompactionWins;
  if (run.kept?.isEmpty && !guards.emptySummaryIsNoted) {
    after.isSettled = true;
    run.at = 'ready';
  } else if (isActive && isFirst) write(after, run);
  else if (after.status === 'active') {
    if (guards.loserReadsWhatIsKept) run.kept = after.kept;
    run.at = 'ready';
  } else Object.assign(run, idleRun());
}

function write(after: CompactionState, run: CompactionRun): void {
  if (after.status !== 'active') after.broken ??= 'a history was compacted after the end';
  if (after.kept !== null) after.broken ??= 'the history of a round was compacted twice';
  after.kept = run.kept;
  after.isSettled = true;
  run.at = 'ready';
}

function saveTwice(after: CompactionState, run: CompactionRun, guards: CompactionGuards): void {
  save(after, run, guards);
  if (run.at === 'ready') save(after, run, guards);
}

/** `sent-history.ts`: a summary is sent where nothing was deleted since it was made. */
function askRound(after: CompactionState, run: CompactionRun, guards: CompactionGuards): void {
  const isKept = JSON.stringify(run.kept) === JSON.stringify(after.kept);
  const isNoted = !run.kept?.isEmpty || guards.emptySummaryIsNoted;
  if (after.status === 'active' && !isKept && isNoted)
    after.broken ??= 'a round was asked with a history that is not kept';
  const isChanged = run.kept?.deletions !== run.deletions;
  const isSent = !run.kept?.isEmpty && !(isChanged && guards.deletedIsNotTold);
  if (isSent && isChanged) after.broken ??= 'a model was told what was deleted';
  run.at = 'replying';
}

/** `save-round.ts`: the first write wins. */
function saveRound(after: CompactionState, run: CompactionRun): void {
  if (after.status === 'active') after.status = 'replied';
  Object.assign(run, idleRun());
}

function leaveJob(after: CompactionState, run: CompactionRun): void {
  after.jobs += 1;
  Object.assign(run, idleRun());
}

function runAt({ runs }: CompactionState, slot: number): CompactionRun {
  const run = runs[slot];
  if (!run) throw new Error(`There is no worker ${slot}.`);
  return run;
}
