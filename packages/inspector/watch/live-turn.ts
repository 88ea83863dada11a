import type { TurnEvent } from '#client/connect-pawl.ts';
import type { Round } from '../base/turn.ts';

export type LiveCall = { startedAt: string; statusText: string | null; progress: unknown };

/** Text and calls without a checkpoint: the reply of the running round, and the progress of running tools. */
export type LiveTurn = {
  round: number;
  attempt: number;
  text: string;
  reasoning: string;
  /** The calls of the running round that the provider runs. */
  hosted: Round['hosted_calls'];
  calls: Record<string, LiveCall>;
};

type LiveEvent = Exclude<TurnEvent, { sequence_number: number }>;

export const NOTHING_LIVE: LiveTurn = { round: 0, attempt: 0, text: '', reasoning: '', hosted: [], calls: {} };

/** Returns the live state after another live event. A new attempt begins with an empty text. Ignores old attempts. */
export function addLiveEvent(live: LiveTurn, event: LiveEvent, now: string): LiveTurn {
  if (!('attempt' in event))
    return { ...live, calls: { ...live.calls, [event.tool_call_id]: callAfter(live, event, now) } };
  const { round, attempt } = event;
  const order = round - live.round || attempt - live.attempt;
  if (order < 0) return live;
  const current = order > 0 ? { ...NOTHING_LIVE, calls: live.calls, round, attempt } : live;
  if (event.type === 'output_text.delta')
    return { ...current, text: current.text.slice(0, event.offset) + event.delta };
  if ('hosted_call' in event) return { ...current, hosted: hostedAfter(current.hosted, event.hosted_call) };
  if (event.type !== 'reasoning.delta') return current;
  return { ...current, reasoning: current.reasoning.slice(0, event.offset) + event.delta };
}

/** Returns the calls after another event. A call keeps its place, and its end replaces its start. */
function hostedAfter(calls: LiveTurn['hosted'], call: LiveTurn['hosted'][number]): LiveTurn['hosted'] {
  const known = calls.find(({ id }) => id === call.id);
  if (!known) return [...calls, call];
  // A stream may repeat the start after the end.
  return call.status === 'in_progress' ? calls : calls.map((each) => (each === known ? call : each));
}

function callAfter({ calls }: LiveTurn, event: Exclude<LiveEvent, { attempt: number }>, now: string): LiveCall {
  if (event.type === 'tool_call.started') return { startedAt: now, statusText: event.status_text, progress: null };
  return { ...(calls[event.tool_call_id] ?? { startedAt: now, statusText: null }), progress: event.value };
}
