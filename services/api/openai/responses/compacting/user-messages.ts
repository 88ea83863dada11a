import { loadBlobs } from '#core/checkpoint/blobs.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { listLine } from '#core/checkpoint/turns/reading/history.ts';
import { readBlobAddress } from '#core/turn/parts/blob-address.ts';
import { dataOf, mapParts, partsOf, withData } from '#core/turn/parts/part-data.ts';
import type { InputItem, Part } from '#core/turn/request/item.ts';
import { type ConversationItem, itemsOfTurn } from '#core/turn/responses/conversation-items.ts';
import { type ListedInputItem, listedItems } from '#core/turn/responses/input-item.ts';
import type { Turn } from '#core/turn/turn.ts';

/** Turns that are read at a time. */
const TURNS_AT_ONCE = 100;

/**
 * Loads the messages of the user in the history of a compaction, oldest first, as `input_items` lists them. Deleted
 * turns and items are not among them.
 */
export async function loadUserMessages(db: Db, { conversationId }: Turn): Promise<ConversationItem[]> {
  const messages: ConversationItem[] = [];
  for (let from: { turnId: string; isIncluded: false } | undefined; ; ) {
    const { rows, hasMore } = await listLine(db, conversationId, { from, direction: 'asc', limit: TURNS_AT_ONCE });
    messages.push(...rows.flatMap(({ turn, deletedItems }) => itemsOfTurn(turn, deletedItems).filter(isOfUser)));
    const last = rows.at(-1);
    if (!hasMore || !last) return messages;
    from = { turnId: last.turn.id, isIncluded: false };
  }
}

/**
 * Returns the messages of the user in the input of a compaction, without its last item, the question for a summary.
 * The turn is not stored, so its images and files are here as data. If they have more than `most` bytes, they are
 * here by the paths of their blobs.
 */
export async function ownUserMessages(db: Db, turn: Turn, most: number): Promise<ListedInputItem[]> {
  const input = await withInlineData(db, { project: turn.project, input: turn.input.slice(0, -1), most });
  return listedItems(turn, input, 0).filter(isOfUser);
}

function isOfUser(item: ConversationItem): boolean {
  return item.type === 'message' && 'role' in item && item.role === 'user';
}

async function withInlineData(
  db: Db,
  { project, input, most }: { project: string; input: InputItem[]; most: number },
): Promise<InputItem[]> {
  const hashes = [...new Set(partsOf(input).flatMap(({ part }) => blobOf(part)?.sha256 ?? []))];
  if (hashes.length === 0) return input;
  const blobs = await loadBlobs(db, project, { hashes, most });
  const base64 = new Map(blobs.flatMap(({ sha256, bytes }) => (bytes ? [[sha256, bytes.toString('base64')]] : [])));
  return mapParts(input, ({ part }) => {
    const blob = blobOf(part);
    const data = blob && base64.get(blob.sha256);
    return data ? withData(part, `data:${blob.mediaType};base64,${data}`) : part;
  });
}

function blobOf(part: Part) {
  return readBlobAddress(dataOf(part)?.address ?? '');
}
