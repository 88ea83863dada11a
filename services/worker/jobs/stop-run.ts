import { persist } from '#core/checkpoint/persist.ts';
import { postponeStep } from '#core/checkpoint/postpone-step.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { WorkerContext } from '../context.ts';
import type { Run, StopReason } from '../run.ts';
import { endAtDeadline } from './end-at-deadline.ts';
import { whatIsOwed } from './what-is-owed.ts';

/** Leaves a step that was stopped in the middle, by the reason it was stopped for. */
export async function stopRun(run: Run, context: WorkerContext): Promise<Ring[]> {
  const { id, turn, step, signal, called, requests } = run;
  const reason: StopReason = signal.reason;
  switch (reason) {
    case 'cancelled':
    case 'lost':
      return whatIsOwed(turn, context);
    case 'deadline':
      return endAtDeadline(turn, context, requests);
    case 'shutdown': {
      const at = { turnId: turn.id, step, ring: turn.work.ring, runId: id, called: [...called] };
      const back = { ...at, delayMs: 0, attempt: false, rateLimited: false, parkedMs: 0, requests, told: null };
      const ring = await persist(() => postponeStep(context.db, back));
      return ring ? [ring] : whatIsOwed(turn, context);
    }
  }
}
