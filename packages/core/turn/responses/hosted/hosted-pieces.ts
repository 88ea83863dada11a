import { added, done, eventPiece, type ResponsePiece } from '../piece.ts';
import type { HostedItem } from './hosted-item.ts';

/**
 * Returns the pieces of a hosted call. `isOpen`: without its end. The first pieces do not depend on the input or the
 * output of the call, because a provider may report both at the end.
 */
export function hostedPieces(
  item: HostedItem,
  { outputIndex, isOpen = false }: { outputIndex: number; isOpen?: boolean },
): ResponsePiece[] {
  const { begin, end } = eventsOf(item, outputIndex);
  if (isOpen) return begin;
  const last = item.status === 'completed' ? end : end.slice(0, -1);
  return [...begin, ...last, done(item, outputIndex)];
}

/** The action of a web search before it is known. OpenAI's types require an action. */
const UNKNOWN = { type: 'search', query: '' };

/** Returns the events of a call: its start, and the rest. The last event is only for a completed call. */
function eventsOf(item: HostedItem, outputIndex: number): { begin: ResponsePiece[]; end: ResponsePiece[] } {
  const at = { item_id: item.id, output_index: outputIndex };
  const begun = { id: item.id, type: item.type, status: 'in_progress' };
  const event = (name: string, fields = {}) => eventPiece({ type: `response.${name}`, ...at, ...fields });
  const phase = (name: string) => event(`${item.type}.${name}`);
  switch (item.type) {
    case 'web_search_call':
      return {
        begin: [added({ ...begun, action: UNKNOWN }, outputIndex), phase('in_progress'), phase('searching')],
        end: [phase('completed')],
      };
    case 'file_search_call':
      return {
        begin: [added({ ...begun, queries: [], results: null }, outputIndex), phase('in_progress'), phase('searching')],
        end: [phase('completed')],
      };
    case 'image_generation_call':
      return {
        begin: [added({ ...begun, result: null }, outputIndex), phase('in_progress'), phase('generating')],
        end: [phase('completed')],
      };
    case 'code_interpreter_call': {
      const { code, container_id } = item;
      const delta = code ? [event('code_interpreter_call_code.delta', { delta: code })] : [];
      return {
        begin: [added({ ...begun, code: '', container_id, outputs: null }, outputIndex), phase('in_progress')],
        end: [
          ...delta,
          event('code_interpreter_call_code.done', { code: code ?? '' }),
          phase('interpreting'),
          phase('completed'),
        ],
      };
    }
  }
}
