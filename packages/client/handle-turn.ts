import { type Api, ask } from './ask.ts';
import type { CallOptions, EndedTurn, Turn, TurnHandle } from './connect-pawl.ts';
import { followEvents } from './follow-events.ts';
import { waitForTurn } from './wait-for-turn.ts';

/** The handle of one turn. */
export function handleTurn(api: Api, id: string): TurnHandle {
  const path = `/v1/turns/${encodeURIComponent(id)}`;
  const post = (action: string, body: unknown, options?: CallOptions) =>
    ask<Turn>(api, { method: 'POST', path: `${path}/${action}`, body }, options);
  const decide = (approval: { tool_call_id: string; decision: string; reason?: string }, options?: CallOptions) =>
    post('approvals', { approvals: [approval] }, options);

  return {
    id,
    get: (options) => ask(api, { path }, options),
    events: (options) => followEvents(api, `${path}/events`, options),
    result: (options) => waitForTurn(api, path, { ...options, isEnough: hasEnded }),
    settled: (options) => waitForTurn(api, path, { ...options, isEnough: isSettled }),
    submitToolOutputs: (outputs, options) => post('tool_outputs', { tool_outputs: outputs }, options),
    approve: (callId, options) => decide({ tool_call_id: callId, decision: 'allow' }, options),
    deny: (callId, reason, options) =>
      decide({ tool_call_id: callId, decision: 'deny', ...(reason && { reason }) }, options),
    output: (callId, options) => ask(api, { path: `${path}/tool_outputs/${encodeURIComponent(callId)}` }, options),
    cancel: (options) => post('cancel', undefined, options),
    // Not safe to repeat: where the answer was lost, a second one is refused because the turn goes on already.
    retry: (options) => post('retry', undefined, { ...options, patienceMs: 0 }),
  };
}

function hasEnded(turn: Turn): turn is EndedTurn {
  const { status } = turn;
  return status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled';
}

function isSettled(turn: Turn): turn is Turn {
  return hasEnded(turn) || turn.status === 'requires_action';
}
