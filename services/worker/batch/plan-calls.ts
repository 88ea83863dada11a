import type { NewCall } from '#core/checkpoint/sql/rounds/new-calls.ts';
import { findReusableOutputs } from '#core/checkpoint/turns/reading/call-outputs.ts';
import { type CheckedCall, prepareCall } from '#core/tools/arguments/prepare-call.ts';
import { cacheKey } from '#core/tools/run/cache-key.ts';
import { argumentsToRun, isLooping, MAX_SAME_CALLS, toolsFor } from '#core/turn/call.ts';
import type { RequestedCall } from '#core/turn/message.ts';
import { isBeyondLimit } from '#core/turn/reached-limit.ts';
import type { Tool } from '#core/turn/request/tool.ts';
import type { ToolError, ToolResult } from '#core/turn/tool-result.ts';
import type { ToolCall, Turn, WaitsFor } from '#core/turn/turn.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import type { WorkerContext } from '../context.ts';

/**
 * The plan for an open call:
 * - run the call
 * - reuse the result of an equal call
 * - refuse the call
 * - give the call up, because the run that claimed it is lost
 */
export type CallPlan =
  | ({ kind: 'run' } & CheckedCall)
  | { kind: 'reuse'; result: ToolResult; fullOutput: string | null }
  | { kind: 'refuse'; error: ToolError }
  | { kind: 'give-up' };

type Wait = Pick<NewCall, 'waitsFor' | 'expiresInSeconds'>;

/** Plans the calls of a batch. Yields to the event loop before each call, so that slow checks do not add up. */
export async function planCalls(turn: Turn, calls: ToolCall[]): Promise<{ call: ToolCall; plan: CallPlan }[]> {
  const planned: { call: ToolCall; plan: CallPlan }[] = [];
  for (const call of calls) {
    await yieldToEventLoop();
    planned.push({ call, plan: await planCall(turn, call) });
  }
  return planned;
}

/**
 * Plans to reuse results of equal calls in the conversation, if the tool allows reuse and the result is young enough.
 */
export async function reuseResults<Planned extends { call: ToolCall; plan: CallPlan }>(
  turn: Turn,
  planned: Planned[],
  { db }: WorkerContext,
): Promise<Planned[]> {
  const requests = planned.flatMap(({ call, plan }) => {
    const key = cacheKeyOf(turn, call, plan);
    if (key === null || plan.kind !== 'run') return [];
    return { index: call.index, cacheKey: key, ttlSeconds: plan.tool.cache_ttl_seconds };
  });
  if (requests.length === 0) return planned;

  const found = new Map((await findReusableOutputs(db, requests)).map((known) => [known.index, known]));
  return planned.map((one) => {
    const known = found.get(one.call.index);
    return known ? { ...one, plan: { kind: 'reuse' as const, ...known } } : one;
  });
}

/**
 * Returns the key for sharing the result of a planned call, made from the arguments that ran (R39). Null if the
 * result may not be shared.
 */
export function cacheKeyOf({ conversationId }: Turn, call: ToolCall, plan: CallPlan): string | null {
  return plan.kind === 'run' ? cacheKey(conversationId, plan.tool, argumentsToRun(call)) : null;
}

/** Plans a call from stored data. If the call has an open claim, the caller must have the lease (R8). */
export async function planCall(turn: Turn, call: ToolCall): Promise<CallPlan> {
  if (call.claimedBy !== null) return { kind: 'give-up' };
  if (call.waitsFor !== null && call.expired) return { kind: 'refuse', error: EXPIRED };
  if (isBeyondLimit(turn, call)) return { kind: 'refuse', error: beyondLimit(turn) };
  if (isLooping(turn, call)) return { kind: 'refuse', error: looping(call) };

  const requested = { ...call, arguments: argumentsToRun(call) };
  const { project, config } = turn;
  const allowedCapabilities = config.allowed_capabilities;
  const prepared = await prepareCall(requested, { tools: toolsFor(config, call), allowedCapabilities, project });
  if (!prepared.ok) return { kind: 'refuse', error: prepared.error };
  if (lacksAnswer(call, prepared.call.tool)) return { kind: 'refuse', error: CHECKED_TOO_SLOWLY };
  return { kind: 'run', ...prepared.call };
}

/**
 * Returns whether a call lacks a required answer. A call that took too long to check at its request waits for no
 * answer, though the same check may pass now.
 */
function lacksAnswer({ approval }: ToolCall, tool: Tool): boolean {
  const required = requiredAnswer(tool);
  return required === 'approval' ? approval?.decision !== 'allow' : required === 'output';
}

const CHECKED_TOO_SLOWLY: ToolError = {
  category: 'cancelled',
  message: 'The arguments took too long to check, so that nobody was asked about this call. Send shorter values.',
  details: {},
};

const EXPIRED: ToolError = {
  category: 'cancelled',
  message: 'Nobody answered this call in time.',
  details: {},
};

/** Adds to each call of a reply the answer that the call waits for. Checks the calls like `planCalls`. */
export async function addWaits(
  turn: Turn,
  round: number,
  requested: RequestedCall[],
): Promise<(RequestedCall & Wait)[]> {
  const waiting: (RequestedCall & Wait)[] = [];
  for (const [index, call] of requested.entries()) {
    await yieldToEventLoop();
    waiting.push({ ...call, ...(await waitOf(turn, { ...call, index, round }, requested)) });
  }
  return waiting;
}

/** Returns the answer that a call waits for. A call that breaks a rule does not wait, since it is refused at once. */
async function waitOf(
  turn: Turn,
  call: RequestedCall & { index: number; round: number },
  siblings: RequestedCall[],
): Promise<Wait> {
  const { tools, allowed_capabilities: allowedCapabilities } = turn.config;
  const tool = tools.find(({ name }) => name === call.name);
  const waitsFor = tool ? requiredAnswer(tool) : null;
  if (!tool || tool.handOver || waitsFor === null) return NO_WAIT;
  if (isBeyondLimit(turn, call, siblings) || isLooping(turn, call, siblings)) return NO_WAIT;
  const { ok } = await prepareCall(call, { tools, allowedCapabilities, project: turn.project });
  return ok ? { waitsFor, expiresInSeconds: tool.expires_in_seconds } : NO_WAIT;
}

/** The wait of a call that needs no answer from outside. */
export const NO_WAIT: Wait = { waitsFor: null, expiresInSeconds: null };

function requiredAnswer({ approval, execution }: Tool): WaitsFor | null {
  if (approval === 'always') return 'approval';
  return execution?.kind === 'client' ? 'output' : null;
}

function beyondLimit({ config }: Turn): ToolError {
  const message = `This turn has made its maximum of ${config.limits.max_tool_calls} tool calls. Answer with the results so far.`;
  return { category: 'cancelled', message, details: {} };
}

/** Returns the error that ends a loop. The model reads it in the final round. */
function looping({ name }: ToolCall): ToolError {
  const message = `${name} was called with the same arguments ${MAX_SAME_CALLS} times in a row, so the last call was not run. Answer with the results so far, or say why you cannot.`;
  return { category: 'cancelled', message, details: {} };
}
