import { followEvents } from './events/follow-events.ts';
import type { CallOptions, EndedTurn, ReadOptions, Turn, TurnConfig, TurnHandle } from './pawl.ts';
import { type Api, createOnce, requestJson } from './request-json.ts';
import { pause, RETRY_FOR_MS, retryTransient } from './retry.ts';

export function handleTurn(api: Api, id: string): TurnHandle {
  const path = `/v1/turns/${encodeURIComponent(id)}`;
  const post = (action: string, body: unknown, options?: CallOptions) =>
    requestJson<Turn>(api, { method: 'POST', path: `${path}/${action}`, body }, options);
  const decide = (approval: Approval, options?: CallOptions) => post('approvals', { approvals: [approval] }, options);

  return {
    id,
    get: ({ maxResultBytes, include, ...options }: ReadOptions = {}) =>
      requestJson<Turn & { config: TurnConfig }>(
        api,
        { path, query: { max_result_bytes: maxResultBytes, include } },
        options,
      ),
    events: (options) => followEvents(api, `${path}/events`, options),
    result: (options) => waitForTurn(api, path, { ...options, isEnough: hasEnded }),
    settled: (options) => waitForTurn(api, path, { ...options, isEnough: isSettled }),
    submitToolOutputs: (outputs, options) => post('tool_outputs', { tool_outputs: outputs }, options),
    approve: (callId, { arguments: approved, reason, ...options } = {}) =>
      decide({ tool_call_id: callId, decision: 'allow', reason, arguments: approved }, options),
    deny: (callId, reason, options) =>
      decide({ tool_call_id: callId, decision: 'deny', ...(reason && { reason }) }, options),
    output: (callId, options) =>
      requestJson(api, { path: `${path}/tool_outputs/${encodeURIComponent(callId)}` }, options),
    addInput: (input, { metadata, ...options } = {}) =>
      createOnce(api, { path: `${path}/input`, body: { input, metadata } }, options),
    cancel: (options) => post('cancel', undefined, options),
    // Not safe to repeat: if the answer was lost, the turn already runs, and the server refuses a second request.
    retry: (options) => post('retry', undefined, { ...options, patienceMs: 0 }),
    // Not safe to repeat: if the answer was lost, the turn is already deleted.
    delete: (options) => requestJson(api, { method: 'DELETE', path }, { ...options, patienceMs: 0 }),
  };
}

type Approval = {
  tool_call_id: string;
  decision: 'allow' | 'deny';
  reason?: string | undefined;
  arguments?: Record<string, unknown> | undefined;
};

function hasEnded(turn: Turn): turn is EndedTurn {
  const { status } = turn;
  return status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled';
}

function isSettled(turn: Turn): turn is Turn {
  return hasEnded(turn) || turn.status === 'requires_action';
}

/** Below the 60 s after which many proxies close a silent connection. */
const WAIT_SECONDS = 50;
const ANSWER_SECONDS = 15;
const POLL_AFTER_MS = 500;

/** Long-polls a turn until `isEnough` accepts it, and while the server answers. */
async function waitForTurn<Enough extends Turn>(
  api: Api,
  path: string,
  { isEnough, signal, patienceMs = api.patienceMs ?? RETRY_FOR_MS.watch }: Waiting<Enough>,
): Promise<Enough> {
  const timeoutMs = (WAIT_SECONDS + ANSWER_SECONDS) * 1000;
  const request = { path, query: { wait: WAIT_SECONDS }, timeoutMs, signal };
  for (;;) {
    const { turn, pollAfterMs } = await retryTransient(() => api.exchange(request, readPoll), { patienceMs, signal });
    if (isEnough(turn)) return turn;
    await pause(pollAfterMs, signal);
  }
}

type Waiting<Enough extends Turn> = CallOptions & { isEnough(turn: Turn): turn is Enough };

/** Returns the turn, and the delay until the next poll. */
async function readPoll(response: Response) {
  const turn = (await response.json()) as Turn;
  return { turn, pollAfterMs: Number(response.headers.get('pawl-poll-after-ms') ?? POLL_AFTER_MS) };
}
