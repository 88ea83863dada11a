import { makeActor } from '../actor.ts';
import type { Emit, Setting } from '../setting.ts';
import type { State } from '../state.ts';
import { beat } from './beat.ts';
import { callApi } from './call-api.ts';
import { enqueueWakeups } from './enqueue-wakeups.ts';
import { passTime } from './pass-time.ts';
import { postWebhook } from './post-webhook.ts';
import { rescue } from './rescue.ts';
import { sufferQueue, sufferRun } from './suffer.ts';
import { surroundStep } from './surround-step.ts';
import { takeJob } from './take-job.ts';
import { workBatch } from './work-batch.ts';
import { admitFailure, workRound } from './work-round.ts';

export function movesOf(state: State, setting: Setting, emit: Emit): void {
  const [first, second] = state.runs;
  callApi(state, setting, emit);
  passTime(state, setting, emit);
  rescue(state, setting, emit);
  sufferQueue(state, emit);
  moveRun(state, 0, { setting, emit });
  const areAlike = first.at === 'idle' && second.at === 'idle' && first.cached === second.cached;
  if (!areAlike && !setting.scene.alone) moveRun(state, 1, { setting, emit });
}

/** Emits the moves of a run. A sleeping worker makes none, and a hanging run only has heartbeats. */
function moveRun(state: State, index: 0 | 1, by: { setting: Setting; emit: Emit }): void {
  const actor = makeActor(state, index, by);
  sufferRun(actor);
  if (actor.run.isAsleep) return;
  beat(actor);
  if (actor.run.hangs) return;
  takeJob(actor);
  surroundStep(actor);
  workRound(actor);
  admitFailure(actor);
  workBatch(actor);
  enqueueWakeups(actor);
  postWebhook(actor);
}
