import type { EndingReason } from '#core/turn/next-step.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { reportTurnEnd } from '../process/report-turn-end.ts';
import type { WorkerContext } from './context.ts';
import type { Run } from './lease/run.ts';
import { dueWakeups, endAtDeadline, failTurn, writeEnding } from './lease/stop-run.ts';

/** Ends a turn that needs no other round, for the reason that `nextStep` found. */
export async function endRun(run: Run, because: EndingReason, context: WorkerContext): Promise<Wakeup[]> {
  switch (because) {
    case 'deadline':
      return endAtDeadline(run.turn, context);
    case 'poison':
      return failTurn(run, POISON, context);
    case 'hand-over':
      return endHere(run, { status: 'completed', output: run.turn.rounds.at(-1)?.text ?? '' }, context);
    case 'no-tokens':
      return endHere(run, { status: 'incomplete', incompleteReason: 'max_output_tokens' }, context);
  }
}

type Outcome =
  | { status: 'completed'; output: string }
  | { status: 'incomplete'; incompleteReason: 'max_output_tokens' };

/** Ends the turn by its committed rounds. Any run may write this end, if the step is the same. */
async function endHere(run: Run, outcome: Outcome, context: WorkerContext): Promise<Wakeup[]> {
  const { turn, lease } = run;
  const wakeups = await writeEnding(
    { turnId: turn.id, conversationId: turn.conversationId, step: lease.step, ...outcome },
    context,
  );
  if (!wakeups) return dueWakeups(run, context);

  const { status } = outcome;
  reportTurnEnd(turn, outcome, context);
  context.log.info({ event: 'turn.ended', turn_id: turn.id, status }, `turn ended after its last round: ${status}`);
  context.watchers.publishChange(turn.id, wakeups);
  return wakeups;
}

const POISON = {
  type: 'internal_error' as const,
  code: 'poison_turn',
  message: 'Every worker that took this step ended unexpectedly. Check the worker logs before you retry the turn.',
  retryable: true,
};
