import { parseJson } from '../../json.ts';
import { isHandOver } from '../call.ts';
import { answerText, type ToolResult } from '../tool-result.ts';
import type { ToolCall, Turn } from '../turn.ts';
import type { UiChunk } from './chunk.ts';

/**
 * Returns the chunks about a call in order: the call, its approval request and decision, and its result. A later
 * state of the turn may add chunks and never changes earlier chunks. A call that the caller answers in a later turn
 * has no result here.
 */
export function callChunks(turn: Turn, call: ToolCall): UiChunk[] {
  const needsApproval = call.waitsFor === 'approval' || call.approval !== null || isApprovalHandedOver(turn, call);
  return [
    askedChunk(turn, call),
    ...(needsApproval ? [{ type: 'tool-approval-request' as const, approvalId: call.id, toolCallId: call.id }] : []),
    ...(needsApproval ? decisionChunks(call) : []),
    ...(call.result && call.result.status !== 'handed_over' ? [resultChunk(call, call.result, needsApproval)] : []),
  ];
}

function askedChunk({ config }: Turn, call: ToolCall): UiChunk {
  const isClients = config.tools.some(({ name, execution }) => name === call.name && execution?.kind === 'client');
  const isOwn = call.round > 0 && (isClients || isHandOver(config.tools, call.name));
  return {
    ...{ type: 'tool-input-available', toolCallId: call.id, toolName: call.name, input: inputOf(call) },
    ...{ dynamic: true, ...(!isOwn && { providerExecuted: true }) },
  };
}

/** Returns the arguments as JSON, or as the model wrote them if they are not JSON. */
function inputOf({ arguments: args }: ToolCall): unknown {
  return parseJson(args || '{}') ?? args;
}

/** Returns whether a call was handed over for an approval. A call that Pawl runs has no other reason for it. */
function isApprovalHandedOver({ config }: Turn, { name, result }: ToolCall): boolean {
  return result?.status === 'handed_over' && !isHandOver(config.tools, name);
}

/**
 * Returns the decision of a call. A result without a decision means denied: the approval expired, or the turn ended.
 */
function decisionChunks({ id, approval, result }: ToolCall): UiChunk[] {
  if (approval) {
    const { decision, reason } = approval;
    return [decisionChunk(id, { approved: decision === 'allow', reason })];
  }
  if (!result || result.status === 'handed_over') return [];
  return [decisionChunk(id, { approved: false, reason: result.error?.message ?? null })];
}

function decisionChunk(id: string, { approved, reason }: { approved: boolean; reason: string | null }): UiChunk {
  return { type: 'tool-approval-response', approvalId: id, approved, ...(reason !== null && { reason }) };
}

function resultChunk({ id, approval }: ToolCall, result: ToolResult, neededApproval: boolean): UiChunk {
  if (neededApproval && approval?.decision !== 'allow') return { type: 'tool-output-denied', toolCallId: id };
  if (result.status === 'error') return { type: 'tool-output-error', toolCallId: id, errorText: answerText(result) };
  return { type: 'tool-output-available', toolCallId: id, output: answerText(result) };
}
