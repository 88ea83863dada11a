import type { Usage } from '../../turn/usage.ts';
import { nameFailure } from '../name-failure.ts';
import type { Delta } from '../provider.ts';
import { boundReply, REPLY_LIMITS } from '../reply-limits.ts';
import { type Block, Event, type WireUsage } from './event.ts';
import { argumentsOf, type BlockDraft, gatherPiece, textAt, wholeBlock } from './gather-block.ts';
import { joinUsage, readUsage } from './read-usage.ts';
import { leadOf } from './text-of.ts';

/** A reply while its events arrive; one that pauses is resumed into the same draft. */
export type ReplyDraft = {
  provider: string;
  blocks: BlockDraft[];
  /** How many of them are calls. */
  calls: number;
  /** The blocks of the message being read, by the index the wire gives them. */
  open: Map<number, BlockDraft>;
  isFinished: boolean;
  stopReasonRaw: string | null;
  usage: WireUsage | null;
  /** What the messages before the pauses used. */
  earlier: Usage[];
  /** Where the server's own tools ran; resuming needs it. */
  container: string | null;
};

/** An empty reply to gather events in; `provider` names whom a failure speaks of. */
export function startReply(provider: string): ReplyDraft {
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
export function takeEvent(draft: ReplyDraft, raw: unknown): Delta[] {
  const { success, data: event } = Event.safeParse(raw);
  if (!success) throw unusable(draft, 'not an event of a message');

  switch (event.type) {
    case 'message_start':
      if (event.message?.usage) draft.usage = joinUsage(draft.usage, event.message.usage);
      return [];
    case 'content_block_start':
      return event.content_block ? startBlock(draft, event.index ?? draft.open.size, event.content_block) : [];
    case 'content_block_delta':
      return takePiece(draft, event);
    case 'message_delta':
      takeEnd(draft, event);
      return [];
    case 'message_stop':
      draft.isFinished = true;
      return [];
    case 'message':
      return takeWhole(draft, event);
    default:
      return [];
  }
}

/** Whether the model asks to be asked again with what it has written so far (a long run of the server's own tools). */
export function isPaused({ stopReasonRaw, blocks }: ReplyDraft): boolean {
  return stopReasonRaw === 'pause_turn' && blocks.length > 0 && !blocks.some(({ block }) => block.type === 'tool_use');
}

/** The blocks of a paused reply, which the next request carries; the draft then waits for the rest. */
export function resumeReply(draft: ReplyDraft): Block[] {
  const used = readUsage(draft.usage);
  if (used) draft.earlier.push(used);
  draft.open.clear();
  draft.isFinished = false;
  draft.stopReasonRaw = null;
  draft.usage = null;
  return draft.blocks.map(wholeBlock);
}

/** A block may come with its text, or as a whole, where a server streams in larger pieces. */
function startBlock(draft: ReplyDraft, index: number, block: Block): Delta[] {
  const call = block.type === 'tool_use' ? draft.calls : -1;
  if (call >= 0) draft.calls += 1;
  boundReply(draft.calls, REPLY_LIMITS.calls, 'tool calls');
  const started: BlockDraft = { block: { ...block }, json: '', call };
  boundReply(draft.blocks.push(started), REPLY_LIMITS.parts, 'blocks');
  draft.open.set(index, started);
  const text = leadAt(draft, started) + textAt(block, 'text');
  if (block.type === 'text' && text) return [{ kind: 'text', text }];
  const thinking = textAt(block, 'thinking');
  if (block.type === 'thinking' && thinking) return [{ kind: 'reasoning', text: thinking }];
  const args = call >= 0 ? argumentsOf(started) : '';
  return args ? [{ kind: 'tool-arguments', index: call, text: args }] : [];
}

function takePiece(draft: ReplyDraft, { index, delta }: Event): Delta[] {
  const growing = draft.open.get(index ?? draft.open.size - 1);
  if (!growing || !delta) throw unusable(draft, 'a piece belongs to no block');
  const isFirst = !textAt(growing.block, 'text');
  gatherPiece(growing, delta);
  boundReply(growing.json.length, REPLY_LIMITS.argumentsLength, 'of arguments in one call');

  const text = textAt(delta, 'text');
  if (delta.type === 'text_delta' && text) {
    return [{ kind: 'text', text: (isFirst ? leadAt(draft, growing) : '') + text }];
  }
  const thinking = textAt(delta, 'thinking');
  if (delta.type === 'thinking_delta' && thinking) return [{ kind: 'reasoning', text: thinking }];
  const args = textAt(delta, 'partial_json');
  return growing.call >= 0 && args ? [{ kind: 'tool-arguments', index: growing.call, text: args }] : [];
}

function leadAt(draft: ReplyDraft, part: BlockDraft): string {
  return leadOf(
    draft.blocks.map(({ block }) => block),
    draft.blocks.indexOf(part),
  );
}

function takeEnd(draft: ReplyDraft, { delta, usage }: Event): void {
  draft.stopReasonRaw = delta?.stop_reason ?? draft.stopReasonRaw;
  draft.container = delta?.container?.id ?? draft.container;
  if (usage) draft.usage = joinUsage(draft.usage, usage);
}

function takeWhole(draft: ReplyDraft, { content, stop_reason, container, usage }: Event): Delta[] {
  const deltas = (content ?? []).flatMap((block, index) => startBlock(draft, index, block));
  takeEnd(draft, { type: 'message_delta', delta: { stop_reason, container }, usage });
  draft.isFinished = true;
  return deltas;
}

function unusable({ provider }: ReplyDraft, reason: string) {
  return nameFailure('provider_bad_response', { provider, reason });
}
