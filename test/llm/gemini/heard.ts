import type { WirePart } from '#test/llm/gemini/stored-form.ts';
import type { Exchange } from '#test/llm/recordings.ts';

type Event = {
  candidates?: {
    content?: { parts?: (WirePart & { functionCall?: Partial })[] };
    finishReason?: string | number;
    groundingMetadata?: Grounding;
  }[];
  promptFeedback?: { blockReason?: string };
  usageMetadata?: Count;
};
type Grounding = {
  webSearchQueries?: string[];
  groundingChunks?: { web: { uri: string } }[];
  groundingSupports?: { segment: { text: string }; groundingChunkIndices: number[] }[];
};
type Partial = { partialArgs?: { jsonPath: string; stringValue: string }[] };
type Count = {
  totalTokenCount?: number;
  promptTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
  cachedContentTokenCount?: number;
};

/**
 * Returns the recorded reply in the form for our client. Some clients requested a JSON array instead of events, and
 * numbers instead of words.
 */
export function inWords(exchange: Exchange<unknown>): Exchange<unknown> {
  const { response } = exchange;
  const isArray = typeof response.body === 'string' && response.body.trimStart().startsWith('[');
  const worded = isArray || hasNumbers(exchange) ? events(exchange) : response.body;
  return { ...exchange, response: { ...response, body: worded } };
}

const WORDS = ['FINISH_REASON_UNSPECIFIED', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER'];

function hasNumbers(exchange: Exchange<unknown>): boolean {
  return (
    JSON.stringify(exchange.response.body).includes('"finishReason":1') ||
    finishOf(rawEvents(exchange)) === 'MAX_TOKENS'
  );
}

function rawEvents({ response: { body } }: Exchange<unknown>): Event[] {
  if (typeof body !== 'string') return [body as Event];
  if (body.trimStart().startsWith('[')) return JSON.parse(body);
  return body.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [JSON.parse(line.slice(5))] : []));
}

function events(exchange: Exchange<unknown>): Event[] {
  return JSON.parse(JSON.stringify(rawEvents(exchange)), (key, value) =>
    key === 'finishReason' && typeof value === 'number' ? WORDS[value] : value,
  );
}

function finishOf(all: Event[]): string | null {
  const blocked = all.findLast(({ promptFeedback }) => promptFeedback)?.promptFeedback;
  if (blocked) return blocked.blockReason ?? 'BLOCKED_REASON_UNSPECIFIED';
  const raw = all.flatMap(({ candidates = [] }) => candidates[0]?.finishReason ?? []).at(-1) ?? null;
  return typeof raw === 'number' ? (WORDS[raw] ?? null) : raw;
}

/** Returns a recorded reply. This second reader is independent of the adapter, and simple. */
export function heardIn(exchange: Exchange<unknown>) {
  const all = events(exchange);
  const parts = all.flatMap(({ candidates = [] }) => candidates[0]?.content?.parts ?? []);
  const calls: { name: string; args: Record<string, unknown> }[] = [];
  for (const { functionCall: call } of parts) {
    if (call?.name) calls.push({ name: call.name, args: { ...call.args } });
    for (const { jsonPath, stringValue } of call?.partialArgs ?? []) {
      const { args } = calls.at(-1)!;
      args[jsonPath.slice(2)] = String(args[jsonPath.slice(2)] ?? '') + stringValue;
    }
  }
  const grounding = all.findLast(({ candidates = [] }) => candidates[0]?.groundingMetadata?.webSearchQueries);
  return {
    ...readGrounding(grounding?.candidates?.[0]?.groundingMetadata),
    text: parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join(''),
    calls,
    signed: parts.filter(({ thoughtSignature }) => thoughtSignature).length,
    finish: finishOf(all),
    usage: all.findLast(({ usageMetadata }) => usageMetadata?.totalTokenCount)?.usageMetadata,
  };
}

/** Returns the queries of a search, or null without a search, and the cited pieces of the text with their pages. */
function readGrounding({ webSearchQueries, groundingChunks = [], groundingSupports = [] }: Grounding = {}) {
  const cited = groundingSupports.flatMap(({ segment, groundingChunkIndices }) =>
    groundingChunkIndices.map((index) => [segment.text, groundingChunks[index]?.web.uri]),
  );
  return { queries: webSearchQueries ?? null, cited };
}
