import { type EnteringRound, enterBatch } from '#core/checkpoint/batches/enter-batch.ts';
import { newId } from '#core/id.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { lateInMs } from '#core/turn/tiers/change-tier.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../../context.ts';
import type { Run } from '../../lease/run.ts';
import { dueWakeups, handBack, tryOf } from '../../lease/stop-run.ts';
import { writeCheckpoint } from '../../write-checkpoint.ts';

/**
 * Enters the next request of a round into a batch (R42). The turn waits without a slot until its answer, or until it
 * is late for another tier.
 */
export async function enter(run: Run, step: RoundStep, context: WorkerContext): Promise<Wakeup[]> {
  const { turn } = run;
  const requestIds = [...(run.responses?.awaited()?.responses ?? []), newId('req')];
  if (!(await wait(run, { requestIds, isNew: true }, context))) return dueWakeups(run, context);
  const about = { event: 'round.entered', turn_id: turn.id, round: step.round };
  context.log.debug(about, `round ${step.round} waits for a batch`);
  context.watchers.publishContinued(turn.id);
  return [];
}

/** Lets a round wait on for its answer. If the answer has come in the meantime, the round is due at once. */
export async function waitForBatch(run: Run, context: WorkerContext): Promise<Wakeup[]> {
  const requestIds = run.responses?.awaited()?.responses ?? [];
  return (await wait(run, { requestIds, isNew: false }, context)) ? [] : handBack(run, context);
}

/** Commits the wait of a round for its requests. Returns false if the run has lost its step, or if it is due. */
function wait(
  run: Run,
  waiting: Pick<EnteringRound, 'requestIds' | 'isNew'>,
  context: WorkerContext,
): Promise<boolean> {
  const { turn, lease } = run;
  const { model } = turn.work;
  const { provider } = splitModel(model);
  const { wire } = context.providers.ofModel(model, turn.config.wires).capabilities;
  const delayMs = lateInMs(turn) - lease.ageMs();
  const entry = {
    ...{ ...tryOf(run), requests: 0, project: turn.project, model, provider, wire },
    ...{ ...waiting, inputs: turn.joined.length, delayMs: Number.isFinite(delayMs) ? Math.max(0, delayMs) : null },
  };
  const write = { verb: 'enterBatch', turnId: turn.id };
  return writeCheckpoint(context, write, () => enterBatch(context.db, entry));
}
