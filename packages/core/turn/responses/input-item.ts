import { wholeInput } from '../inputs/joined-input.ts';
import { shownContent, shownPart } from '../parts/part-data.ts';
import { type HostedCallItem, type InputItem, isMessage, type MessageItem, type Part } from '../request/item.ts';
import type { Round, Turn } from '../turn.ts';
import { type HostedItem, hostedFields, hostedPrefix, imagesByCall, shownIncludes } from './hosted/hosted-item.ts';
import { type ItemPosition, itemIdOf, readItemId } from './item-id.ts';
import { adoptedItems, executionError, isHostedItem, type OutputItem, roundItems } from './output-item.ts';

/** An item of a response's input in lists: OpenAI's shape, with its id. */
export type ListedInputItem = { id: string; type: string } & Record<string, unknown>;

/**
 * Returns the input items of a response in order, each with its id, and then the joined input. Opaque data is shown
 * only if it is sealed. A compaction that is not sealed has an empty text.
 */
export function inputItems(turn: Turn): ListedInputItem[] {
  const kept = turn.config.response?.kept_items ?? 0;
  return listedItems(turn, wholeInput(turn).slice(kept), kept);
}

/** Lists a part of a turn's input. `from` is the index of its first item in the whole input. */
export function listedItems(turn: Turn, items: readonly InputItem[], from: number): ListedInputItem[] {
  const include = shownIncludes(turn);
  return items.flatMap((item, index) => {
    const shown = isMessage(item) ? listedMessage(item) : listedOther(item, include);
    const place = { kind: 'input' as const, prefix: prefixOf(item), index: from + index };
    return shown ? [{ id: itemIdOf(turn.id, place), ...shown }] : [];
  });
}

/**
 * Returns the item of a turn with this id as an equivalent input item: a call that Pawl ran has its result, reasoning
 * becomes the state of its round. Null for an item without content for a model, undefined if there is no such item.
 */
export function itemOf(turn: Turn, itemId: string): InputItem | null | undefined {
  const named = readItemId(itemId);
  if (named?.turnId !== turn.id) return undefined;
  const { place } = named;
  if (place.kind === 'input') return inputAt(turn, place);
  const round = turn.rounds.find(({ number }) => number === place.round);
  if (place.prefix === 'rs') return round && stateOf(round);
  const item = itemsOfBatch(turn, place.round).find(({ id }) => id === itemId);
  return item && itemAsInput(turn, item);
}

/**
 * Returns all output of a turn as input items: for each round the state of its provider, its message and its calls. The
 * blobs of its images may be deleted with the turn, so only images with their data are kept.
 */
export function outputAsInput(turn: Turn): InputItem[] {
  const ofRound = (round: Round) => [stateOf(round), ...roundItems(turn, round).map((item) => itemAsInput(turn, item))];
  const items = [...adoptedItems(turn).map((item) => itemAsInput(turn, item)), ...turn.rounds.flatMap(ofRound)];
  const kept = (item: InputItem): InputItem => (hasBlobs(item) ? { type: item.type, call: item.call } : item);
  return items.filter((item) => item !== null).map(kept);
}

function hasBlobs(item: InputItem): item is HostedCallItem {
  const images = !isMessage(item) && item.type === 'hosted_call' ? (item.images ?? []) : [];
  return images.some(({ image_url: url }) => !url.startsWith('data:'));
}

function itemAsInput(turn: Turn, item: OutputItem): InputItem | null {
  return isHostedItem(item) ? hostedCallOf(turn, item) : asInput(item);
}

/** Returns the call of an item that the provider ran. Null for an image without a call. */
function hostedCallOf({ rounds }: Turn, { id }: HostedItem): InputItem | null {
  const place = readItemId(id)?.place;
  if (place?.kind !== 'round' || place.call === null) return null;
  const hosted = rounds.find(({ number }) => number === place.round)?.hosted;
  const call = hosted?.calls[place.call];
  if (!hosted || !call) return null;
  const image = imagesByCall(hosted).byCall.get(place.call);
  return { type: 'hosted_call', call, ...(image && { images: [{ type: 'input_image', image_url: image.url }] }) };
}

function itemsOfBatch(turn: Turn, number: number): OutputItem[] {
  if (number === 0) return adoptedItems(turn);
  const round = turn.rounds.find((candidate) => candidate.number === number);
  return round ? roundItems(turn, round) : [];
}

/** Returns the input item at a position. Null for a person's answer, which applied to that turn only. */
function inputAt(
  turn: Turn,
  { index, prefix }: Extract<ItemPosition, { kind: 'input' }>,
): InputItem | null | undefined {
  const item = wholeInput(turn)[index];
  if (!item || prefixOf(item) !== prefix) return undefined;
  return prefix === 'mcprr' ? null : item;
}

function stateOf({ model, opaque }: Round): InputItem | null {
  if (opaque === null || opaque === undefined) return null;
  return { type: 'opaque_state', provider: model.slice(0, model.indexOf('/')), state: opaque };
}

function asInput(item: Exclude<OutputItem, HostedItem>): InputItem | null {
  switch (item.type) {
    case 'reasoning':
      return null;
    case 'message': {
      const texts = item.content.map((part) => (part.type === 'refusal' ? part.refusal : part.text));
      return { role: 'assistant', content: texts.join('') };
    }
    case 'function_call': {
      const { type, call_id, name, arguments: args } = item;
      return { type, call_id, name, arguments: args };
    }
    case 'custom_tool_call': {
      const { type, call_id, name, input } = item;
      return { type, call_id, name, input };
    }
    case 'mcp_call': {
      const { type, server_label, name, arguments: args, output, approval_request_id } = item;
      const error = item.error?.content.map(({ text }) => text).join('\n') ?? null;
      const allowed = approval_request_id === null ? {} : { approval_request_id };
      return { type, server_label, name, arguments: args, output, error, ...allowed };
    }
    case 'mcp_approval_request':
      return item;
  }
}

function listedMessage({ role, content }: MessageItem) {
  return { type: 'message', role, status: 'completed', content: listedContent(role, content) };
}

function listedContent(role: MessageItem['role'], content: string | Part[]) {
  if (typeof content !== 'string') return content.map(listedPart);
  if (role !== 'assistant') return [{ type: 'input_text', text: content }];
  return [{ type: 'output_text', text: content, annotations: [], logprobs: [] }];
}

/**
 * Returns a part for readers of OpenAI's shape, who expect a `detail` with each image. The path of a blob replaces
 * its data.
 */
function listedPart(given: Part) {
  const part = shownPart(given);
  return part.type === 'input_image' ? { ...part, detail: part.detail ?? 'auto' } : part;
}

function listedOther(item: Exclude<InputItem, MessageItem>, include: readonly string[]) {
  switch (item.type) {
    case 'hosted_call':
      return hostedFields(item.call, { include });
    case 'function_call':
    case 'custom_tool_call':
      return { ...item, status: 'completed' };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { ...item, output: shownContent(item.output), status: 'completed' };
    case 'mcp_call':
      return {
        ...item,
        status: item.error === null ? 'completed' : 'failed',
        error: item.error === null ? null : executionError(item.error),
        approval_request_id: item.approval_request_id ?? null,
      };
    case 'mcp_approval_request':
    case 'mcp_approval_response':
      return item;
    case 'compaction':
      return { type: item.type, encrypted_content: item.sealed ?? '' };
    case 'opaque_state':
      return item.sealed === undefined ? null : { type: 'reasoning', summary: [], encrypted_content: item.sealed };
  }
}

function prefixOf(item: InputItem): ItemPosition['prefix'] {
  if (isMessage(item)) return 'msg';
  switch (item.type) {
    case 'function_call':
      return 'fc';
    case 'function_call_output':
      return 'fco';
    case 'custom_tool_call':
      return 'ctc';
    case 'custom_tool_call_output':
      return 'ctco';
    case 'mcp_call':
      return 'mcp';
    case 'mcp_approval_request':
      return 'mcpr';
    case 'mcp_approval_response':
      return 'mcprr';
    case 'hosted_call':
      return hostedPrefix(item.call);
    case 'opaque_state':
      return 'rs';
    case 'compaction':
      return 'cmp';
  }
}
