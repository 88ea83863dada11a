import { call } from '../base/call.ts';
import type { Response, Turn } from '../base/turn.ts';
import type { ContentPart } from '../content/part-view.tsx';

/** An input item of a response, as OpenAI's API writes it. Each type has some of these fields. */
export type InputItem = {
  id?: string;
  type: string;
  role?: string;
  content?: string | readonly ContentPart[];
  name?: string;
  call_id?: string;
  arguments?: string;
  input?: string;
  output?: string | ContentPart[] | null;
  server_label?: string;
};

/** The response that a turn was created as, and its input items. Both are null for any other turn. */
export type WatchedResponse = {
  response: Response | null;
  responseInput: { items: InputItem[]; hasMore: boolean } | null;
};

const MAX_ITEMS = 100;

/** Reads the response of a turn. Skips content that cannot have changed. */
export async function readResponse(
  { response_id: id, completed_at: completedAt }: Turn,
  known: WatchedResponse,
  signal: AbortSignal,
): Promise<WatchedResponse> {
  if (id === null) return { response: null, responseInput: null };
  const path = `/v1/responses/${id}`;
  // A response is read at first and after its end. While it runs, the turn reports more.
  const isFresh = known.response !== null && (completedAt === null) === (known.response.usage === null);
  const [response, responseInput] = await Promise.all([
    isFresh ? known.response : call<Response>('GET', path, { signal }),
    known.responseInput ?? readInput(path, signal),
  ]);
  return { response, responseInput };
}

async function readInput(path: string, signal: AbortSignal) {
  const query = `order=asc&limit=${MAX_ITEMS}`;
  type Items = { data: InputItem[]; has_more: boolean };
  const { data, has_more: hasMore } = await call<Items>('GET', `${path}/input_items?${query}`, { signal });
  return { items: data, hasMore };
}
