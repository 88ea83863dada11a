import type { LanguageModelV4ToolCall as WholeCall } from '@ai-sdk/provider';
import { REPLY_BOUNDS } from '../../../bounds/reply-bounds.ts';
import type { Delta } from '../../provider.ts';
import { boundReply } from '../../unusable-reply.ts';

/** A call while it arrives. `isRaw`: its pieces are not JSON, and only the complete call has its arguments. */
export type CallAccumulator = {
  place: number;
  id: string;
  name: string;
  arguments: string;
  isRaw: boolean;
  isWhole: boolean;
  metadata: unknown;
};

type Beginning = { id: string; toolName: string; inputEncoding?: 'json' | 'text'; providerMetadata?: unknown };

export function startCall(calls: CallAccumulator[], beginning: Beginning): CallAccumulator {
  const { id, toolName: name, inputEncoding, providerMetadata: metadata } = beginning;
  const isRaw = inputEncoding === 'text';
  const call = { place: calls.length, id, name, arguments: '', isRaw, isWhole: false, metadata };
  boundReply(calls.push(call), REPLY_BOUNDS.calls, 'tool calls');
  return call;
}

/** Adds a piece of a call's arguments and returns its delta. A piece of an unknown call is ignored. */
export function growCall(call: CallAccumulator | undefined, text: string, metadata?: unknown): Delta[] {
  if (!call) return [];
  call.metadata = metadata ?? call.metadata;
  if (call.isRaw || !text) return [];
  call.arguments += text;
  boundReply(call.arguments.length, REPLY_BOUNDS.argumentsLength, 'of arguments in one call');
  return [{ kind: 'tool-arguments', index: call.place, text }];
}

/** Returns whether an earlier complete call has the same id, name and arguments. */
export function isSameCall(call: CallAccumulator, { toolCallId, toolName, input }: WholeCall): boolean {
  return call.isWhole && call.id === toolCallId && call.name === toolName && call.arguments === textOf(input);
}

function textOf(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {});
}

/** Replaces a call by its complete form, which counts. Returns its arguments as a delta if no piece preceded it. */
export function endCall(call: CallAccumulator, { toolName, input, providerMetadata }: WholeCall): Delta[] {
  const whole = textOf(input);
  const isNew = call.arguments === '' && whole !== '';
  call.name = toolName || call.name;
  call.arguments = whole;
  call.isWhole = true;
  call.metadata = providerMetadata ?? call.metadata;
  boundReply(whole.length, REPLY_BOUNDS.argumentsLength, 'of arguments in one call');
  return isNew ? [{ kind: 'tool-arguments', index: call.place, text: whole }] : [];
}
