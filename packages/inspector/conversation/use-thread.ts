import { useRef, useState } from 'preact/hooks';
import { call } from '../base/call.ts';
import type { Conversation, ListedTurn, Page } from '../base/turn.ts';
import { useFresh } from '../base/use-fresh.ts';

const AGAIN_MS = 2_500;

const LIMIT = 15;

/**
 * Reads a conversation and its turns in the order of the history: the newest turns at intervals, the earlier turns on
 * request. `cursor` is null after all turns were read.
 */
export function useThread(id: string) {
  const known = useRef(new Map<string, ListedTurn>()).current;
  const [cursor, setCursor] = useState<string | null | undefined>(undefined);
  const path = `/v1/conversations/${encodeURIComponent(id)}`;
  const {
    data: conversation,
    refused,
    again,
  } = useFresh(
    async (signal) => {
      const [page, read] = await Promise.all([readPage(id, null, signal), call<Conversation>('GET', path, { signal })]);
      keepNewest(known, page);
      setCursor((before) => (before === undefined ? page.next_cursor : before));
      return read;
    },
    { everyMs: AGAIN_MS },
  );
  const readEarlier = async () => {
    const page = await readPage(id, cursor ?? null);
    for (const turn of page.data) known.set(turn.id, turn);
    setCursor(page.next_cursor);
  };
  return {
    conversation,
    turns: orderedTurns([...known.values()]),
    cursor: cursor ?? null,
    refused,
    again,
    readEarlier,
  };
}

function readPage(id: string, cursor: string | null, signal?: AbortSignal): Promise<Page<ListedTurn>> {
  const query = new URLSearchParams({ conversation_id: id, limit: String(LIMIT), ...(cursor ? { cursor } : {}) });
  return call('GET', `/v1/turns?${query}`, signal ? { signal } : {});
}

/** Keeps the newest turns as they are now. A turn that is missing from their period was deleted. */
function keepNewest(known: Map<string, ListedTurn>, { data, next_cursor: next }: Page<ListedTurn>): void {
  const ids = new Set(data.map(({ id }) => id));
  const oldest = next === null ? '' : (data.at(-1)?.created_at ?? '');
  for (const { id, created_at: at } of known.values()) if (at > oldest && !ids.has(id)) known.delete(id);
  for (const turn of data) known.set(turn.id, turn);
}

/** Sorts turns in the order of the history: started turns by their start, then turns that have not started. */
function orderedTurns(turns: ListedTurn[]): ListedTurn[] {
  return turns.toSorted((a, b) => order(positionOf(a), positionOf(b)) || order(a.created_at, b.created_at));
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function positionOf({
  started_at: startedAt,
  completed_at: completedAt,
  created_at: at,
  start_at: startAt,
}: ListedTurn) {
  // `~` sorts after every time.
  return startedAt ?? (completedAt ? at : `~${startAt ?? ''}`);
}

/** Returns whether a turn blocks its conversation: it runs or waits to run. A turn that starts later does not. */
export function isActive({ completed_at: completedAt, waiting }: ListedTurn): boolean {
  return completedAt === null && waiting?.for !== 'start_at';
}
