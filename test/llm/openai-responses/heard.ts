import type { Exchange } from '#test/llm/recordings.ts';

/** An item of a response or of an input, with the fields that tests read. */
export type WireItem = {
  type?: string;
  id?: string;
  role?: string;
  status?: string;
  phase?: string;
  content?: string | WirePart[] | null;
  call_id?: string | null;
  name?: string;
  arguments?: unknown;
  output?: unknown;
  encrypted_content?: string | null;
} & Record<string, unknown>;
export type WirePart = { type?: string; text?: string; refusal?: string; annotations?: WireAnnotation[] };
type WireAnnotation = { url?: string; file_id?: string };

type Usage = {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  input_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number };
  output_tokens_details?: { reasoning_tokens?: number };
};
type Response = {
  status: string;
  output?: WireItem[];
  usage?: Usage | null;
  error?: { code?: string; message?: string } | null;
  incomplete_details?: { reason?: string } | null;
};
type Event = { type: string; response?: Response; item?: WireItem };

/** Returns a recorded response. This second reader uses only the last snapshot. */
export function heardIn(exchange: Exchange<unknown>) {
  const response = snapshotOf(exchange);
  const items = response?.output ?? [];
  const parts = items.filter(({ type }) => type === 'message').flatMap(({ content }) => partsOf(content));
  const refusal = parts.map((part) => part.refusal ?? '').join('');
  return {
    items,
    text: parts.map((part) => part.text ?? part.refusal ?? '').join(''),
    refusal,
    calls: items.flatMap(callsOf),
    reason: response?.incomplete_details?.reason ?? null,
    status: response?.status ?? null,
    error: response?.error ?? null,
    usage: response?.usage ?? null,
  };
}

export function partsOf(content: WireItem['content']): WirePart[] {
  if (typeof content === 'string') return content ? [{ type: 'output_text', text: content }] : [];
  return content ?? [];
}

function callsOf({ type, call_id, name, arguments: args }: WireItem) {
  return type === 'function_call' ? [{ id: String(call_id), name: String(name), arguments: String(args) }] : [];
}

const TERMINAL = /^response\.(completed|incomplete|failed)$/;

function snapshotOf({ response: { body } }: Exchange<unknown>): Response | null {
  if (typeof body !== 'string') return body as Response | null;
  const lines = body.split(/\r?\n/).filter((line) => line.startsWith('data:') && !line.includes('[DONE]'));
  const events: Event[] = lines.map((line) => JSON.parse(line.slice(5)));
  return events.findLast(({ type }) => TERMINAL.test(type))?.response ?? null;
}
