import type { LiveEvent } from '#core/turn/event.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';

/** How far a turn has come by what was read of it: what decides whether a live event may be shown yet, or any more. */
export type Stage = {
  lastEvent: number;
  phase: 'queued' | 'round' | 'batch' | 'ended';
  round: number;
  /** The attempt that is owed or under way; deltas of an older one are of no use. */
  attempt: number;
  openCalls: ReadonlySet<string>;
};

/** The stage of a turn as it was loaded. */
export function stageOf(turn: Turn): Stage {
  const { step, ring } = turn.work;
  const calls = turn.rounds.flatMap((round) => round.calls);
  return {
    lastEvent: turn.lastEvent,
    phase: phaseOf(turn),
    round: Number(step.slice(1)),
    attempt: ring + 1,
    openCalls: new Set(calls.filter((call) => call.result === null).map((call) => call.id)),
  };
}

/**
 * When a live event may be shown to somebody who was told all durable events of a stage: `later` where something
 * durable comes first that was not read yet, `never` where the durable events have overtaken it.
 */
export function whenToShow(event: LiveEvent, stage: Stage): 'now' | 'later' | 'never' {
  if (stage.phase === 'ended') return 'never';
  if (stage.phase === 'queued') return 'later';
  const ahead = placeOf(event.round, 'tool_call_id' in event) - placeOf(stage.round, stage.phase === 'batch');
  if (ahead !== 0) return ahead > 0 ? 'later' : 'never';
  const isOfUse = 'attempt' in event ? event.attempt >= stage.attempt : stage.openCalls.has(event.tool_call_id);
  return isOfUse ? 'now' : 'never';
}

function phaseOf({ status, work }: Turn): Stage['phase'] {
  if (isTerminal(status)) return 'ended';
  if (status === 'queued') return 'queued';
  return work.step.startsWith('b') ? 'batch' : 'round';
}

/** Rounds and batches in the one order they happen in: r1, b1, r2, b2 … */
function placeOf(round: number, isBatch: boolean): number {
  return 2 * round + (isBatch ? 1 : 0);
}
