import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import type { Usage } from '../../turn/reply.ts';
import { nameFailure } from '../errors/name-failure.ts';
import type { Delta } from '../provider.ts';
import { boundReply } from '../unusable-reply.ts';
import { argumentsOf, type BlockAccumulator, leadOf, takeDelta, textAt, wholeBlock } from './block.ts';
import { type Block, Event, type WireUsage } from './event.ts';

/** A reply while its events arrive; one that pauses is resumed into the same reply. */
export type ReplyAccumulator = {
  provider: string;
  blocks: BlockAccumulator[];
  /** How many of them are calls. */
  calls: number;
  /** The blocks of the message being read, by the index the wire gives them. */
  open: Map<number, BlockAccumulator>;
  isFinished: boolean;
  stopReasonRaw: string | null;
  usage: WireUsage | null;
  /** What the messages before the pauses used. */
  earlier: Usage[];
  /** Where the server's own tools ran; resuming needs it. */
  container: string | null;
};

/** An empty reply to gather events in; `provider` stands in the failures it may throw. */
export function startReply(provider: string): ReplyAccumulator {
  return {
    provider,
    blocks: [],
    calls: 0,
    open: new Map(),
    isFinished: false,
    stopReasonRaw: null,
    usage: null,
    earlier: [],
    container: null,
  };
}

/** Adds one event and answers what is new in it. What is no event fails as `provider_bad_response`. */
export function takeEvent(reply: ReplyAccumulator, raw: unknown): Delta[] {
  const { success, data: event } = Event.safeParse(raw);
  if (!success) throw unusable(reply, 'not an event of a message');

  switch (event.type) {
    case 'message_start':
      if (event.message?.usage) reply.usage = joinUsage(reply.usage, event.message.usage);
      return [];
    case 'content_block_start':
      return event.content_block ? startBlock(reply, event.index ?? reply.open.size, event.content_block) : [];
    case 'content_block_delta':
      return takeBlockDelta(reply, event);
    case 'message_delta':
      takeEnd(reply, event);
      return [];
    case 'message_stop':
      reply.isFinished = true;
      return [];
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
  reply.isFinished = false;
  reply.stopReasonRaw = null;
  reply.usage = null;
  return reply.blocks.map(wholeBlock);
}

/** A block may come with its text, or as a whole, where a server streams in larger chunks. */
function startBlock(reply: ReplyAccumulator, index: number, block: Block): Delta[] {
  const call = block.type === 'tool_use' ? reply.calls : -1;
  if (call >= 0) reply.calls += 1;
  boundReply(reply.calls, REPLY_BOUNDS.calls, 'tool calls');
  const started: BlockAccumulator = { block: { ...block }, json: '', call };
  boundReply(reply.blocks.push(started), REPLY_BOUNDS.parts, 'blocks');
  reply.open.set(index, started);
  const text = leadAt(reply, started) + textAt(block, 'text');
  if (block.type === 'text' && text) return [{ kind: 'text', text }];
  const thinking = textAt(block, 'thinking');
  if (block.type === 'thinking' && thinking) return [{ kind: 'reasoning', text: thinking }];
  const args = call >= 0 ? argumentsOf(started) : '';
  return args ? [{ kind: 'tool-arguments', index: call, text: args }] : [];
}

function takeBlockDelta(reply: ReplyAccumulator, { index, delta }: Event): Delta[] {
  const growing = reply.open.get(index ?? reply.open.size - 1);
  if (!growing || !delta) throw unusable(reply, 'a piece belongs to no block');
  const isFirst = !textAt(growing.block, 'text');
  takeDelta(growing, delta);
  boundReply(growing.json.length, REPLY_BOUNDS.argumentsLength, 'of arguments in one call');

  const text = textAt(delta, 'text');
  if (delta.type === 'text_delta' && text) {
    return [{ kind: 'text', text: (isFirst ? leadAt(reply, growing) : '') + text }];
  }
  const thinking = textAt(delta, 'thinking');
  if (delta.type === 'thinking_delta' && thinking) return [{ kind: 'reasoning', text: thinking }];
  const args = textAt(delta, 'partial_json');
  return growing.call >= 0 && args ? [{ kind: 'tool-arguments', index: growing.call, text: args }] : [];
}

function leadAt(reply: ReplyAccumulator, part: BlockAccumulator): string {
  return leadOf(
    reply.blocks.map(({ block }) => block),
    reply.blocks.indexOf(part),
  );
}

function takeEnd(reply: ReplyAccumulator, { delta, usage }: Event): void {
  reply.stopReasonRaw = delta?.stop_reason ?? reply.stopReasonRaw;
  reply.container = delta?.container?.id ?? reply.container;
  if (usage) reply.usage = joinUsage(reply.usage, usage);
}

function takeWhole(reply: ReplyAccumulator, { content, stop_reason, container, usage }: Event): Delta[] {
  const deltas = (content ?? []).flatMap((block, index) => startBlock(reply, index, block));
  takeEnd(reply, { type: 'message_delta', delta: { stop_reason, container }, usage });
  reply.isFinished = true;
  return deltas;
}

function unusable({ provider }: ReplyAccumulator, reason: string) {
  return nameFailure('provider_bad_response', { provider, reason });
}

/** The count at the start of a message with the later, cumulative one over it. */
function joinUsage(early: WireUsage | null, late: WireUsage): WireUsage {
  const given = Object.entries(late).filter(([, value]) => value !== null && value !== undefined);
  return { ...early, ...Object.fromEntries(given) };
}

/** Anthropic's count in our words, or null where it counted nothing: it counts cached input apart, we do not. */
export function readUsage(usage: WireUsage | null): Usage | null {
  if (typeof usage?.input_tokens !== 'number' && typeof usage?.output_tokens !== 'number') return null;
  const cached = usage.cache_read_input_tokens ?? 0;
  const input = (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + cached;
  const output = usage.output_tokens ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: cached,
    reasoning_tokens: Math.min(usage.output_tokens_details?.thinking_tokens ?? 0, output),
  };
}
