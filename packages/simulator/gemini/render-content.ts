import { errorBody } from '../error-body.ts';
import type { FlawedReply, RenderedStream } from '../render-response.ts';
import type { Call, SimulatedReply } from '../reply.ts';
import type { ScriptedUsage } from '../script.ts';
import { shownOf, slices } from '../slices.ts';
import { contentErrorOf } from './content-error.ts';

type ContentMeta = { responseId: string; model: string };

/** The signature of each first call. Gemini refuses its calls without their signatures. */
const SIGNATURE = 'c2ltdWxhdGVk';

/** Writes a reply as a whole response of Gemini. A reply without a finish reason has not ended. */
export function renderContent(reply: SimulatedReply, meta: ContentMeta) {
  const parts = [...textsOf(reply, Number.POSITIVE_INFINITY), ...reply.calls.map(callPart)];
  return chunkOf(
    parts.map(({ part }) => part),
    { meta, reply, isLast: true },
  );
}

/** Renders a reply as Gemini's server-sent events, one chunk for each write, and the end of the stream. */
export function renderContentStream({ reply, pace, flaw }: FlawedReply, meta: ContentMeta): RenderedStream {
  const parts = shownOf([...textsOf(reply, pace.chunkChars), ...reply.calls.map(callPart)], flaw);
  const chunks = parts.map(({ part, text }) =>
    event(chunkOf(['text' in part ? { ...part, text } : part], { meta, reply, isLast: false })),
  );
  const end = event(chunkOf([{ text: '' }], { meta, reply, isLast: true }));
  switch (flaw?.kind) {
    case undefined:
    case 'no_done':
      return { chunks: [...chunks, end], ending: 'end' };
    case 'no_finish':
      return { chunks, ending: 'end' };
    case 'error_event': {
      const error = { kind: 'error' as const, status: 500, headers: {}, thinkMs: 0, body: errorBody(500) };
      return { chunks: [...chunks, event(flaw.body ?? contentErrorOf(error))], ending: 'end' };
    }
    case 'garbage':
      return { chunks: [...chunks, 'data: {"candidates":[{"con\n\n'], ending: 'end' };
    case 'cut':
      return { chunks, ending: 'cut' };
    case 'hang':
      return { chunks, ending: 'silence' };
    case 'drip':
      return {
        chunks: [...chunks, event(chunkOf([{ text: 'drip ' }], { meta, reply, isLast: false }))],
        ending: 'repeat',
      };
  }
}

type SentPart = { part: Record<string, unknown>; text: string };

function textsOf({ reasoning, text, refusal }: SimulatedReply, size: number): SentPart[] {
  const pieces = (whole: string) => (Number.isFinite(size) ? slices(whole, size) : [whole].filter(Boolean));
  return [
    ...pieces(reasoning).map((piece) => ({ part: { text: piece, thought: true }, text: piece })),
    ...[text, refusal].flatMap((said) => pieces(said ?? '')).map((piece) => ({ part: { text: piece }, text: piece })),
  ];
}

function callPart({ id, name, arguments: args }: Call, index: number): SentPart {
  const signature = index === 0 ? { thoughtSignature: SIGNATURE } : {};
  return { part: { functionCall: { id, name, args: inputOf(args) }, ...signature }, text: args };
}

/** Returns the arguments as an object. Gemini cannot send broken arguments. */
function inputOf(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

type Chunk = { meta: ContentMeta; reply: SimulatedReply; isLast: boolean };

function chunkOf(parts: Record<string, unknown>[], { meta, reply, isLast }: Chunk) {
  const reason = isLast ? finishReasonOf(reply) : null;
  return {
    candidates: [{ content: { parts, role: 'model' }, ...(reason && { finishReason: reason }), index: 0 }],
    ...(isLast && reply.usage && { usageMetadata: usageOf(reply.usage) }),
    modelVersion: meta.model,
    responseId: meta.responseId,
  };
}

function finishReasonOf({ finishReason, refusal }: SimulatedReply): string | null {
  if (finishReason !== null && refusal !== null) return 'SAFETY';
  return finishReason && (FINISH_REASONS[finishReason] ?? finishReason);
}

const FINISH_REASONS: Record<string, string> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

function usageOf(usage: ScriptedUsage): Record<string, unknown> {
  const { cached_tokens: cached = 0 } = Object(usage.prompt_tokens_details);
  const { reasoning_tokens: thoughts = 0 } = Object(usage.completion_tokens_details);
  return {
    promptTokenCount: usage.prompt_tokens,
    candidatesTokenCount: usage.completion_tokens - thoughts,
    totalTokenCount: usage.total_tokens,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}

function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
