import { isHandedOver } from '../next-step.ts';
import type { IncompleteReason, Turn } from '../turn.ts';

/**
 * One chunk of a turn for the AI SDK's chat pages. The SDK refuses a chunk with any other field. Each id is unique in
 * its message.
 */
export type UiChunk =
  | { type: 'start'; messageId: string; messageMetadata: { turn_id: string; conversation_id: string } }
  | { type: 'start-step' | 'finish-step' }
  | { type: `${'reasoning' | 'text'}-${'start' | 'end'}`; id: string }
  | { type: `${'reasoning' | 'text'}-delta`; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string; dynamic: true; providerExecuted: true }
  | {
      type: 'tool-input-available';
      toolCallId: string;
      toolName: string;
      input: unknown;
      dynamic: true;
      providerExecuted?: true;
    }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'tool-output-available'; toolCallId: string; output: string; providerExecuted?: true }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; providerExecuted?: true }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | { type: 'source-document'; sourceId: string; mediaType: string; title: string }
  | { type: 'file'; url: string; mediaType: string }
  | { type: 'finish'; finishReason: UiFinishReason }
  | { type: 'error'; errorText: string }
  | { type: 'abort' };

export type UiFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other';

export function startChunk({ id, conversationId }: Turn): UiChunk {
  return { type: 'start', messageId: id, messageMetadata: { turn_id: id, conversation_id: conversationId } };
}

/** Returns the chunk of a failure: code and sentence in one text, since the SDK has only one field. */
export function errorChunk({ code, message }: { code: string; message: string }): UiChunk {
  return { type: 'error', errorText: `${code}: ${message}` };
}

/**
 * Returns the last chunk of a message if the turn has ended or waits for a client or a person. Null while it
 * continues.
 */
export function endingChunk(turn: Turn): UiChunk | null {
  switch (turn.status) {
    case 'queued':
    case 'in_progress':
      return null;
    case 'requires_action':
      return finish('tool-calls');
    case 'completed':
      return finish(isHandedOver(turn) ? 'tool-calls' : 'stop');
    case 'incomplete':
      return finish((turn.incompleteReason && REASONS[turn.incompleteReason]) ?? 'other');
    case 'failed':
      return errorChunk(turn.error ?? { code: 'internal', message: 'The turn failed.' });
    case 'cancelled':
      return { type: 'abort' };
  }
}

const REASONS: Partial<Record<IncompleteReason, UiFinishReason>> = {
  max_output_tokens: 'length',
  content_filter: 'content-filter',
};

function finish(finishReason: UiFinishReason): UiChunk {
  return { type: 'finish', finishReason };
}
