import { loadBlobs } from '#core/checkpoint/blobs.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { listThread } from '#core/checkpoint/turns/reading/history.ts';
import { readBlobAddress } from '#core/turn/parts/blob-address.ts';
import { dataOf, mapParts, partsOf, withData } from '#core/turn/parts/part-data.ts';
import type { InputItem, Part } from '#core/turn/request/item.ts';
import { unixSeconds } from '#core/turn/resource/unix-seconds.ts';
import { type ConversationItem, itemsOfTurn } from '#core/turn/responses/conversation-items.ts';
import { type ListedInputItem, listedItems } from '#core/turn/responses/input-item.ts';
import { itemIdOf, responseIdOf } from '#core/turn/responses/item-id.ts';
import { responseUsage } from '#core/turn/responses/present.ts';
import { isRefused } from '#core/turn/responses/status.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../../../context.ts';
import type { AnsweredError } from '../creating/answer-ended.ts';

type Context = Pick<ApiContext, 'db' | 'stateSeals' | 'bodyLimit'>;

/** Presents a turn that wrote a summary as a compaction. */
export async function presentCompaction({ db, stateSeals, bodyLimit }: Context, turn: Turn) {
  const place = itemIdOf(turn.id, { kind: 'round', prefix: 'cmp', round: turn.rounds.length, call: null });
  const encrypted_content = stateSeals.sealSummary(turn.output ?? '', { project: turn.project, place });
  return {
    id: responseIdOf(turn.id),
    object: 'response.compaction' as const,
    created_at: unixSeconds(turn.createdAt),
    output: [
      ...(await loadUserMessages(db, turn)),
      ...(await ownUserMessages(db, turn, bodyLimit)),
      { id: place, type: 'compaction', encrypted_content },
    ],
    usage: responseUsage(turn),
  };
}

/**
 * Returns the error of a compaction: the error of its failed turn, or `compaction_failed` if the turn wrote no whole
 * summary.
 */
export function compactionError(turn: Turn): AnsweredError | null {
  const reason = problemOf(turn);
  if (turn.error || reason === null) return turn.error;
  const message = `The model wrote no summary: ${reason}. Ask another model, or send less.`;
  return { code: 'compaction_failed', message };
}

function problemOf(turn: Turn): string | null {
  const { status, incompleteReason, output } = turn;
  if (isRefused(turn)) return 'it refused';
  if (status !== 'completed') return `its reply ended early (${incompleteReason ?? status})`;
  return output?.trim() ? null : 'its reply was empty';
}

/** The number of turns that are read at a time. */
const TURNS_AT_ONCE = 100;

/**
 * Loads the user messages in the history of a compaction, oldest first, like `input_items`. Deleted turns and items
 * are left out.
 */
async function loadUserMessages(db: Db, { conversationId }: Turn): Promise<ConversationItem[]> {
  const messages: ConversationItem[] = [];
  for (let from: { turnId: string; isIncluded: false } | undefined; ; ) {
    const { rows, hasMore } = await listThread(db, conversationId, { from, direction: 'asc', limit: TURNS_AT_ONCE });
    messages.push(...rows.flatMap(({ turn, deletedItems }) => itemsOfTurn(turn, deletedItems).filter(isOfUser)));
    const last = rows.at(-1);
    if (!hasMore || !last) return messages;
    from = { turnId: last.turn.id, isIncluded: false };
  }
}

/**
 * Returns the user messages in the input of a compaction, without its last item, the question for a summary. The turn
 * is not stored, so its images and files are shown as data. Above `most` bytes, they are shown as paths of blobs.
 */
async function ownUserMessages(db: Db, turn: Turn, most: number): Promise<ListedInputItem[]> {
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
