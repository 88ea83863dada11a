import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import type { Usage } from '../../turn/reply.ts';
import { unusable } from '../errors/name-failure.ts';
import type { Delta } from '../provider.ts';
import { type Fields, fieldsIn, indexIn, partIn, partsIn, wordIn } from '../reply/fields.ts';
import { type Answering, isReason, laterReason, type OwnWords } from '../reply/finish-reason.ts';
import {
  type CallAccumulator,
  type CallsAccumulator,
  gatherCall,
  growCall,
  nextChunk,
  startCalls,
} from '../reply/gather-calls.ts';
import { keepServedBy, type ServedBy } from '../reply/served-by.ts';
import { boundReply } from '../unusable-reply.ts';
import {
  type Block,
  type BlockAccumulator,
  type BlockDelta,
  givenArguments,
  leadOf,
  pieceOf,
  readBlock,
  readBlocks,
  takeDelta,
  takesDelta,
  textAt,
  typedDelta,
  wholeBlock,
} from './block.ts';
import { type Container, readContainer } from './hosted/container.ts';
import { endDeltas, startDeltas } from './hosted/hosted-calls.ts';
import { readCounts, readUsage, type WireUsage } from './read-usage.ts';

/** A reply while its events arrive. A paused reply is resumed into the same reply. */
export type ReplyAccumulator = {
  provider: string;
  ownWords: OwnWords | undefined;
  blocks: BlockAccumulator[];
  calls: CallsAccumulator;
  callBlocks: Map<CallAccumulator, BlockAccumulator>;
  /** The blocks of the current message, by the wire's index. */
  open: Map<number, BlockAccumulator>;
  isStopped: boolean;
  stopReasonRaw: string | null;
  usage: WireUsage | null;
  served: ServedBy;
  /** The usage of the messages before the pauses. */
  earlier: Usage[];
  /** The container of the server's own tools, which later requests require. */
  container: Container | null;
  /** Calls of earlier replies without a result. The result may be in this reply. */
  openCalls: readonly Block[];
};

/** Returns an empty reply for events. Its failures name `provider`. */
export function startReply(
  { provider, toolNames, ownWords }: Answering,
  openCalls: readonly Block[] = [],
): ReplyAccumulator {
  return {
    provider,
    ownWords,
    blocks: [],
    calls: startCalls(toolNames),
    callBlocks: new Map(),
    open: new Map(),
    isStopped: false,
    stopReasonRaw: null,
    usage: null,
    served: {},
    earlier: [],
    container: null,
    openCalls,
  };
}

/**
 * Adds one event and returns its deltas. A complete reply is one event. Unknown kinds are ignored. An unreadable
 * block is an `UnusableReply`.
 */
export function takeEvent(reply: ReplyAccumulator, raw: unknown): Delta[] {
  const event = fieldsIn(raw) ?? {};
  const index = indexIn(event.index);
  // Some servers omit the type of a complete message.
  switch (event.type ?? (event.role === 'assistant' ? 'message' : undefined)) {
    case 'message_start':
      return takeStart(reply, fieldsIn(event.message) ?? {});
    case 'content_block_start': {
      const [block] = partsIn(event.content_block);
      return block ? startBlock(reply, index ?? reply.open.size, readBlock(block)) : [];
    }
    case 'content_block_delta': {
      const delta = partIn(event.delta);
      return delta ? takeBlockDelta(reply, index ?? reply.open.size - 1, delta) : [];
    }
    case 'message_delta':
      // Some servers send the stop reason beside the delta.
      return takeEnd(reply, { ...event, ...partIn(event.delta), usage: event.usage });
    case 'message_stop':
      return takeStop(reply, wordIn(event.stop_reason));
    case 'message':
      return takeWhole(reply, event);
    default:
      return [];
  }
}

/** Returns whether the model paused, during a long run of the server's own tools, and must be resumed. */
export function isPaused({ stopReasonRaw, blocks }: ReplyAccumulator): boolean {
  return stopReasonRaw === 'pause_turn' && !blocks.some(({ block }) => block.type === 'tool_use');
}

/** Prepares a paused reply for the events of its rest. */
export function resumeReply(reply: ReplyAccumulator): void {
  const used = readUsage(reply.usage);
  if (used) reply.earlier.push(used);
  reply.open.clear();
  reply.isStopped = false;
  reply.stopReasonRaw = null;
  reply.usage = null;
}

/** Starts a block, which may contain text already if a server streams in larger chunks. */
function startBlock(reply: ReplyAccumulator, index: number, block: Block): Delta[] {
  if (block.type === 'tool_use') return startCall(reply, index, block);
  const started = addBlock(reply, index, { block, json: '', call: null });
  if (block.type === 'server_tool_use') return startDeltas(block);
  if (block.tool_use_id !== undefined) return endCall(reply, block);
  const text = leadAt(reply, started) + textAt(block, 'text');
  if (block.type === 'text' && text) return [{ kind: 'text', text }];
  const thinking = textAt(block, 'thinking');
  return block.type === 'thinking' && thinking ? [{ kind: 'reasoning', text: thinking }] : [];
}

/** Ends the call of a server tool by its result. */
function endCall({ blocks, openCalls }: ReplyAccumulator, result: Block): Delta[] {
  const own = blocks.findLast(({ block }) => block.id === result.tool_use_id);
  return endDeltas(result, own && wholeBlock(own), openCalls);
}

/** Starts a call. Some servers repeat a call, and then the block belongs to the known call. */
function startCall(reply: ReplyAccumulator, index: number, block: Block): Delta[] {
  nextChunk(reply.calls);
  const delta = { index, id: textAt(block, 'id'), name: textAt(block, 'name'), text: givenArguments(block) };
  const { call, isNew, deltas } = gatherCall(reply.calls, delta);
  const known = isNew ? undefined : reply.callBlocks.get(call);
  if (known) reply.open.set(index, known);
  else reply.callBlocks.set(call, addBlock(reply, index, { block, json: '', call }));
  return deltas;
}

function addBlock(reply: ReplyAccumulator, index: number, started: BlockAccumulator): BlockAccumulator {
  boundReply(reply.blocks.push(started), REPLY_BOUNDS.parts, 'blocks');
  reply.open.set(index, started);
  return started;
}

function takeBlockDelta(reply: ReplyAccumulator, index: number, given: BlockDelta): Delta[] {
  const delta = typedDelta(given);
  const open = reply.open.get(index);
  const growing = open && takesDelta(open, delta) ? open : startUnnamed(reply, index, delta);
  if (!growing) return [];
  const { call } = growing;
  if (call && delta.type === 'input_json_delta') return growCall(call, pieceOf(delta));
  const isFirst = !textAt(growing.block, 'text');
  takeDelta(growing, delta);
  boundReply(growing.json.length, REPLY_BOUNDS.argumentsLength, 'of arguments in one call');

  const text = textAt(delta, 'text');
  if (delta.type === 'text_delta' && text) {
    return [{ kind: 'text', text: (isFirst ? leadAt(reply, growing) : '') + text }];
  }
  const thinking = textAt(delta, 'thinking');
  return delta.type === 'thinking_delta' && thinking ? [{ kind: 'reasoning', text: thinking }] : [];
}

/**
 * Starts a block for a delta without a block. Some servers start no block for a text or thought, or send the
 * arguments of a call under another index.
 */
function startUnnamed(reply: ReplyAccumulator, index: number, { type }: BlockDelta): BlockAccumulator | undefined {
  const json = '';
  if (type === 'text_delta') return addBlock(reply, index, { block: { type: 'text', text: '' }, json, call: null });
  if (type === 'thinking_delta')
    return addBlock(reply, index, { block: { type: 'thinking', thinking: '', signature: '' }, json, call: null });
  if (type === 'signature_delta') return reply.blocks.findLast(({ block }) => block.type === 'thinking');
  if (type !== 'input_json_delta') return undefined;
  const last = reply.blocks.findLast(({ call }) => call !== null);
  if (!last) throw unusable(reply.provider, 'a piece belongs to no block');
  return last;
}

function leadAt(reply: ReplyAccumulator, part: BlockAccumulator): string {
  return leadOf(
    reply.blocks.map(({ block }) => block),
    reply.blocks.indexOf(part),
  );
}

/** Returns whether the message is over. Some servers send only the stop reason. */
export function isFinished({ isStopped, stopReasonRaw }: ReplyAccumulator): boolean {
  return isStopped || stopReasonRaw !== null;
}

function takeStart(reply: ReplyAccumulator, message: Fields): Delta[] {
  keepServedBy(reply.served, message);
  takeUsage(reply, message.usage);
  reply.container = readContainer(message.container) ?? reply.container;
  return [];
}

function takeEnd(reply: ReplyAccumulator, { stop_reason, container, usage }: Fields): Delta[] {
  reply.stopReasonRaw = laterReason(reply.stopReasonRaw, wordIn(stop_reason));
  reply.container = readContainer(container) ?? reply.container;
  takeUsage(reply, usage);
  return [];
}

function takeStop(reply: ReplyAccumulator, stopReason: string | null): Delta[] {
  if (isReason(stopReason)) reply.stopReasonRaw ??= stopReason;
  reply.isStopped = true;
  return [];
}

/** Merges the first count of a message with the later, cumulative count. */
function takeUsage(reply: ReplyAccumulator, given: unknown): void {
  const usage = readCounts(given);
  if (usage) reply.usage = { ...reply.usage, ...usage };
}

function takeWhole(reply: ReplyAccumulator, message: Fields): Delta[] {
  const blocks = readBlocks(message.content);
  keepServedBy(reply.served, message);
  // Some servers end a stream with the complete message.
  const said = reply.open.size > 0 ? [] : blocks;
  const deltas = said.flatMap((block, index) => startBlock(reply, index, block));
  takeEnd(reply, message);
  reply.isStopped = true;
  return deltas;
}
