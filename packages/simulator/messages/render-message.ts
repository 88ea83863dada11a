import type { Call, SimulatedReply } from '../reply.ts';
import type { ScriptedUsage } from '../script.ts';

export type MessageMeta = { messageId: string; model: string };

/** Writes a reply as a whole message of Anthropic. A reply without a finish reason has no stop reason. */
export function renderMessage(reply: SimulatedReply, { messageId, model }: MessageMeta) {
  return {
    id: messageId,
    type: 'message',
    role: 'assistant',
    model,
    content: blocksOf(reply),
    stop_reason: stopReasonOf(reply),
    stop_sequence: null,
    usage: usageOf(reply.usage),
  };
}

function blocksOf({ reasoning, text, refusal, calls }: SimulatedReply): Record<string, unknown>[] {
  return [
    ...(reasoning ? [{ type: 'thinking', thinking: reasoning, signature: SIGNATURE }] : []),
    ...[text, refusal].flatMap((said) => (said ? [{ type: 'text', text: said, citations: null }] : [])),
    ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call) })),
  ];
}

/** The signature of each thought. */
export const SIGNATURE = 'c2ltdWxhdGVk';

/** Returns the arguments as an object. A whole message cannot have broken arguments. */
function inputOf({ arguments: args }: Call): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

function stopReasonOf({ finishReason, refusal }: SimulatedReply): string | null {
  if (finishReason !== null && refusal !== null) return 'refusal';
  return finishReason && (STOP_REASONS[finishReason] ?? finishReason);
}

const STOP_REASONS: Record<string, string> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

function usageOf(usage: ScriptedUsage | null): Record<string, unknown> {
  const { cached_tokens: cached = 0 } = Object(usage?.prompt_tokens_details);
  return {
    input_tokens: (usage?.prompt_tokens ?? 0) - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: usage?.completion_tokens ?? 0,
    service_tier: 'standard',
  };
}
