import { breathe } from '#core/breathe.ts';
import type { NewCall } from '#core/checkpoint/save-round.ts';
import { type CheckedCall, prepareCall } from '#core/tools/prepare-call.ts';
import { type SharedTime, shareTimeOf } from '#core/tools/share-time.ts';
import { isLooping, MAX_SAME_CALLS } from '#core/turn/is-looping.ts';
import type { AskedCall } from '#core/turn/message.ts';
import { isBeyondLimit } from '#core/turn/reached-limit.ts';
import type { Tool } from '#core/turn/tool.ts';
import type { ToolError, ToolResult } from '#core/turn/tool-result.ts';
import type { ToolCall, Turn, WaitsFor } from '#core/turn/turn.ts';

/**
 * What is to be done about one open call: run it, answer it with what an equal call was answered, refuse it, or judge the
 * claim of a run that was never heard of again.
 */
export type CallPlan =
  | ({ kind: 'run' } & CheckedCall)
  | { kind: 'reuse'; result: ToolResult; fullOutput: string | null }
  | { kind: 'refuse'; error: ToolError }
  | { kind: 'give-up' };

type Wait = Pick<NewCall, 'waitsFor' | 'expiresInSeconds'>;

/** Plans the calls of a batch one by one; what is slow to check neither holds up the process nor adds up. */
export async function planCalls(turn: Turn, calls: ToolCall[]): Promise<{ call: ToolCall; plan: CallPlan }[]> {
  const within = shareTimeOf(turn.project);
  const planned: { call: ToolCall; plan: CallPlan }[] = [];
  for (const call of calls) {
    await breathe();
    planned.push({ call, plan: planCall(turn, call, within) });
  }
  return planned;
}

/** Decides from what is stored; the caller holds the turn wherever a claim is open (R8). */
export function planCall(turn: Turn, call: ToolCall, within?: SharedTime): CallPlan {
  if (call.claimedBy !== null) return { kind: 'give-up' };
  if (call.waitsFor !== null && call.expired) return { kind: 'refuse', error: EXPIRED };
  if (isBeyondLimit(turn, call)) return { kind: 'refuse', error: beyondLimit(turn) };
  if (isLooping(turn, call)) return { kind: 'refuse', error: looping(call) };

  const { tools, allowed_capabilities: allowedCapabilities } = turn.config;
  const prepared = prepareCall(call, { tools, allowedCapabilities, within });
  if (!prepared.ok) return { kind: 'refuse', error: prepared.error };
  if (isUnasked(call, prepared.call.tool)) return { kind: 'refuse', error: UNASKED };
  return { kind: 'run', ...prepared.call };
}

/** A call whose check took too long when it was asked for waits for nobody, though another time the check may pass. */
function isUnasked({ approval }: ToolCall, tool: Tool): boolean {
  const word = whoseWord(tool);
  return word === 'approval' ? approval?.decision !== 'allow' : word === 'output';
}

const UNASKED: ToolError = {
  category: 'cancelled',
  message: 'The arguments took too long to check, so that nobody was asked about this call. Send shorter values.',
  details: {},
};

const EXPIRED: ToolError = {
  category: 'cancelled',
  message: 'Nobody answered this call in time.',
  details: {},
};

/** Adds to the calls of a reply whom they will wait for; checks them as `planCalls` does. */
export async function addWaits(turn: Turn, round: number, asked: AskedCall[]): Promise<(AskedCall & Wait)[]> {
  const within = shareTimeOf(turn.project);
  const waiting: (AskedCall & Wait)[] = [];
  for (const [index, call] of asked.entries()) {
    await breathe();
    waiting.push({ ...call, ...waitOf(turn, { ...call, index, round }, { siblings: asked, within }) });
  }
  return waiting;
}

/** One that breaks a rule waits for nobody, since it is answered at once. */
function waitOf(
  turn: Turn,
  call: AskedCall & { index: number; round: number },
  { siblings, within }: { siblings: AskedCall[]; within: SharedTime },
): Wait {
  const { tools, allowed_capabilities: allowedCapabilities } = turn.config;
  const tool = tools.find(({ name }) => name === call.name);
  const waitsFor = tool ? whoseWord(tool) : null;
  if (!tool || waitsFor === null) return NOBODY;
  if (isBeyondLimit(turn, call) || isLooping(turn, call, siblings)) return NOBODY;
  const isFit = prepareCall(call, { tools, allowedCapabilities, within }).ok;
  return isFit ? { waitsFor, expiresInSeconds: tool.expires_in_seconds } : NOBODY;
}

const NOBODY: Wait = { waitsFor: null, expiresInSeconds: null };

function whoseWord({ approval, execution }: Tool): WaitsFor | null {
  if (approval === 'always') return 'approval';
  return execution?.kind === 'client' ? 'output' : null;
}

function beyondLimit({ config }: Turn): ToolError {
  const message = `This turn may make ${config.limits.max_tool_calls} tool calls and has made them. Answer with what you have.`;
  return { category: 'cancelled', message, details: {} };
}

/** The note that ends a loop; the model reads it in the final round. */
function looping({ name }: ToolCall): ToolError {
  const message = `${name} was called with the same arguments ${MAX_SAME_CALLS} times in a row; this last call was not run. Answer with what you have, or say what keeps you from it.`;
  return { category: 'cancelled', message, details: {} };
}
