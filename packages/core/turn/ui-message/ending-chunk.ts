import { isHandedOver } from '../next-step.ts';
import type { IncompleteReason, Turn } from '../turn.ts';
import { errorChunk, type UiChunk, type UiFinishReason } from './chunk.ts';

/** The last chunk of a message: of a turn that has ended, or waits for a client or a person; null while it goes on. */
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
