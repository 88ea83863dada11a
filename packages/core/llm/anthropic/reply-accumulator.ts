import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import type { Usage } from '../../turn/reply.ts';
import { unusable } from '../errors/name-failure.ts';
import type { Delta } from '../provider.ts';
import { type Fields, fieldsIn, indexIn, partIn, partsIn, textIn, wordIn } from '../reply/fields.ts';
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
  textAt,
  wholeBlock,
} from './block.ts';
import { readCounts, readUsage, type WireUsage } from './read-usage.ts';

/** A reply while its events arrive; one that pauses is resumed into the same reply. */
export type ReplyAccumulator = {
  provider: string;
  ownWords: OwnWords | undefined;
  blocks: BlockAccumulator[];
  calls: CallsAccumulator;
  callBlocks: Map<CallAccumulator, BlockAccumulator>;
  /** The blocks of the message being read, by the index the wire gives them. */
  open: Map<number, BlockAccumulator>;
  isStopped: boolean;
  stopReasonRaw: string | null;
  usage: WireUsage | null;
  served: ServedBy;
  /** What the messages before the pauses used. */
  earlier: Usage[];
  /** Where the server's own tools ran; resuming needs it. */
  container: string | null;
};

/** An empty reply to gather events in; `provider` is named in the failures it may throw. */
export function startReply({ provider, toolNames, ownWords }: Answering): ReplyAccumulator {
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
  };
}

/**
 * Adds one event and returns its deltas; a reply sent whole is one event. Kinds that are not known may come at any time
 * and say nothing. A block that cannot be read is an `UnusableReply`.
 */
export function takeEvent(reply: ReplyAccumulator, raw: unknown): Delta[] {
  const event = fieldsIn(raw) ?? {};
  const index = indexIn(event.index);
  // Some servers leave out the type of a message that comes whole.
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
      // Some servers put the reason to stop beside the delta.
      return takeEnd(reply, { ...event, ...partIn(event.delta), usage: event.usage });
    case 'message_stop':
      return takeStop(reply, wordIn(event.stop_reason));
    case 'message':
      return takeWhole(reply, event);
    default:
      return [];
  }
}

/** Whether the model asks to be asked again with what it has written so far (a long run of the server's own tools). */
export function isPaused({ stopReasonRaw, blocks }: ReplyAccumulator): boolean {
  return stopReasonRaw === 'pause_turn' && blocks.length > 0 && !blocks.some(({ block }) => block.type === 'tool_use');
}

/** The blocks of a paused reply, which the next request carries; the reply then waits for the rest. */
export function resumeReply(reply: ReplyAccumulator): Block[] {
  const used = readUsage(reply.usage);
  if (used) reply.earlier.push(used);
  reply.open.clear();
  reply.isStopped = false;
  reply.stopReasonRaw = null;
  reply.usage = null;
  return reply.blocks.map(wholeBlock);
}

/** A block may come with its text, or as a whole, if a server streams in larger chunks. */
function startBlock(reply: ReplyAccumulator, index: number, block: Block): Delta[] {
  if (block.type === 'tool_use') return startCall(reply, index, block);
  const started = addBlock(reply, index, { block, json: '', call: null });
  const text = leadAt(reply, started) + textAt(block, 'text');
  if (block.type === 'text' && text) return [{ kind: 'text', text }];
  const thinking = textAt(block, 'thinking');
  return block.type === 'thinking' && thinking ? [{ kind: 'reasoning', text: thinking }] : [];
}

/** Some servers send the same call once more: its block belongs to the call that there is. */
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
  const delta = typed(given);
  const open = reply.open.get(index);
  const growing = open && takes(open, delta) ? open : startUnnamed(reply, index, delta);
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

/** The fields that are pieces of a block, by the type of their delta. */
const PIECES = { text_delta: 'text', thinking_delta: 'thinking', input_json_delta: 'partial_json' };

/** Some servers leave the type of a delta out, or name its block. */
function typed(delta: BlockDelta): BlockDelta {
  if (delta.type && delta.type !== 'text' && delta.type !== 'thinking') return delta;
  const [type] = Object.entries(PIECES).find(([, field]) => delta[field]) ?? [];
  return type ? { ...delta, type } : delta;
}

/** Whether a delta is a piece of this block. Some servers send a text under the index of the thought before it. */
function takes({ block }: BlockAccumulator, { type }: BlockDelta): boolean {
  if (type === 'text_delta') return block.type !== 'thinking' && block.type !== 'tool_use';
  if (type === 'thinking_delta' || type === 'signature_delta')
    return block.type !== 'text' && block.type !== 'tool_use';
  return type !== 'input_json_delta' || (block.type !== 'text' && block.type !== 'thinking');
}

/** Some servers start no block before a text or a thought, or send the arguments of a call under another index. */
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

/** Whether the server said that the message is over. Some servers say why the model stopped, and nothing after it. */
export function isFinished({ isStopped, stopReasonRaw }: ReplyAccumulator): boolean {
  return isStopped || stopReasonRaw !== null;
}

function takeStart(reply: ReplyAccumulator, message: Fields): Delta[] {
  keepServedBy(reply.served, message);
  takeUsage(reply, message.usage);
  return [];
}

function takeEnd(reply: ReplyAccumulator, { stop_reason, container, usage }: Fields): Delta[] {
  reply.stopReasonRaw = laterReason(reply.stopReasonRaw, wordIn(stop_reason));
  reply.container = textIn(fieldsIn(container)?.id) ?? reply.container;
  takeUsage(reply, usage);
  return [];
}

function takeStop(reply: ReplyAccumulator, stopReason: string | null): Delta[] {
  if (isReason(stopReason)) reply.stopReasonRaw ??= stopReason;
  reply.isStopped = true;
  return [];
}

/** The count at the start of a message, with the later, cumulative one over it. */
function takeUsage(reply: ReplyAccumulator, given: unknown): void {
  const usage = readCounts(given);
  if (usage) reply.usage = { ...reply.usage, ...usage };
}

function takeWhole(reply: ReplyAccumulator, message: Fields): Delta[] {
  const blocks = readBlocks(message.content);
  keepServedBy(reply.served, message);
  // Some servers end a stream with the message that it made.
  const said = reply.open.size > 0 ? [] : blocks;
  const deltas = said.flatMap((block, index) => startBlock(reply, index, block));
  takeEnd(reply, message);
  reply.isStopped = true;
  return deltas;
}
