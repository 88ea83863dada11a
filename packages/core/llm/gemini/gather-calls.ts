import type { Delta } from '../provider.ts';
import { boundReply, REPLY_LIMITS } from '../reply-limits.ts';
import type { FunctionCall, PartialArg } from './chunk.ts';
import { type Args, putArg, startArgs } from './put-arg.ts';

/** A call while it arrives: whole, or in pieces that say they will continue. */
export type CallDraft = {
  id: string;
  name: string;
  args: Args;
  /** More of it was announced. */
  isOpen: boolean;
  /** The path whose text goes on with the next piece. */
  openPath: string | null;
  /** Its place among the parts that are kept. */
  keptAt: number;
  /** A piece of it could not be put anywhere. */
  isBroken: boolean;
};

/** What one piece did: the call it started, if any, and what is new to a watcher. */
export type GatheredCall = { started: CallDraft | null; deltas: Delta[] };

/**
 * Adds one piece to the call that is open, or starts another one. A watcher gets the arguments when they are whole:
 * until then an empty delta shows that they are on their way.
 */
export function gatherCall(calls: CallDraft[], piece: FunctionCall): GatheredCall {
  const open = calls.at(-1);
  const isNext = Boolean(open?.isOpen && !piece.name);
  if (!isNext && isBlank(piece)) return { started: null, deltas: [] };
  const call = isNext && open ? open : startCall(calls, piece);

  Object.assign(call.args, piece.args ?? {});
  for (const partial of piece.partialArgs ?? []) addPartial(call, partial);
  call.isOpen = piece.willContinue ?? false;
  const text = call.isOpen ? '' : JSON.stringify(call.args);
  const delta: Delta = { kind: 'tool-arguments', index: calls.length - 1, text };
  return { started: isNext ? null : call, deltas: [delta] };
}

function isBlank({ id, name, args, partialArgs }: FunctionCall): boolean {
  return !id && !name && !args && !partialArgs?.length;
}

function startCall(calls: CallDraft[], { id, name }: FunctionCall): CallDraft {
  const state = { isOpen: false, openPath: null, keptAt: -1, isBroken: false };
  const call = { id: id ?? '', name: name ?? '', args: startArgs(), ...state };
  boundReply(calls.push(call), REPLY_LIMITS.calls, 'tool calls');
  return call;
}

function addPartial(call: CallDraft, partial: PartialArg): void {
  const fits = putArg(call.args, partial, call.openPath === partial.jsonPath);
  call.isBroken ||= !fits;
  call.openPath = partial.willContinue ? partial.jsonPath : null;
}
