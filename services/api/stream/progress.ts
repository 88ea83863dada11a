import { allCalls } from '#core/turn/call.ts';
import type { LiveEvent } from '#core/turn/event.ts';
import { readStep, type Step, stepIndex } from '#core/turn/step.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';

/** The progress of a turn when it was last read. It decides whether a live event may be sent. */
export type Progress = {
  lastEvent: number;
  phase: 'queued' | Step['kind'] | 'ended';
  round: number;
  /** The attempt that is due or in flight. Deltas of an older attempt are obsolete. */
  attempt: number;
  openCalls: ReadonlySet<string>;
};

/** Returns the progress of a loaded turn. */
export function progressOf(turn: Turn): Progress {
  const { step, generation } = turn.work;
  return {
    lastEvent: turn.lastEvent,
    phase: phaseOf(turn),
    round: readStep(step).round,
    attempt: generation + 1,
    openCalls: new Set(
      allCalls(turn)
        .filter((call) => call.result === null)
        .map((call) => call.id),
    ),
  };
}

function phaseOf({ status, work }: Turn): Progress['phase'] {
  if (isTerminal(status)) return 'ended';
  if (status === 'queued') return 'queued';
  return readStep(work.step).kind;
}

/**
 * Returns when a live event may be sent to a stream that has sent all durable events of this progress:
 * - `later` if a durable event that was not read yet precedes it
 * - `never` if the durable events are already past it
 */
export function whenToSend(event: LiveEvent, progress: Progress): 'now' | 'later' | 'never' {
  if (progress.phase === 'ended') return 'never';
  if (progress.phase === 'queued') return 'later';
  const kind = 'tool_call_id' in event ? 'batch' : 'round';
  const ahead = stepIndex({ kind, round: event.round }) - stepIndex({ kind: progress.phase, round: progress.round });
  if (ahead !== 0) return ahead > 0 ? 'later' : 'never';
  const isOfUse = 'attempt' in event ? event.attempt >= progress.attempt : progress.openCalls.has(event.tool_call_id);
  return isOfUse ? 'now' : 'never';
}
