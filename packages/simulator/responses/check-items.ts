import type { Problem } from '../error-body.ts';
import { isVerifiedContent } from './encrypted-content.ts';
import type { InputItem } from './input-item.ts';

/** Returns the reason why OpenAI would refuse the input items, or null. A call has one output, anywhere after it. */
export function checkItems(items: InputItem[]): Problem | null {
  const duplicate = duplicateOf(items);
  if (duplicate !== null) return refused(`Duplicate item found with id ${duplicate}. Remove it from your input.`);
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    const problem = checkItem(item, items[index + 1], open);
    if (problem) return problem;
  }
  const [missing] = open;
  return missing === undefined ? null : refused(`No tool output found for function call ${missing}.`);
}

/** Checks an item, and keeps the calls without output in `open`. */
function checkItem(item: InputItem, next: InputItem | undefined, open: Set<string>): Problem | null {
  switch (item.type) {
    case 'function_call':
      if (open.has(item.call_id)) return refused(`Two function calls have the call_id ${item.call_id}.`);
      open.add(item.call_id);
      return null;
    case 'function_call_output':
      if (open.delete(item.call_id)) return null;
      return refused(`No tool call found for function call output with call_id ${item.call_id}.`);
    case 'reasoning':
      return checkReasoning(item, next);
    case 'item_reference':
      return notFound(item.id);
    default:
      return null;
  }
}

function checkReasoning(
  { id, encrypted_content: encrypted }: Extract<InputItem, { type: 'reasoning' }>,
  next: InputItem | undefined,
): Problem | null {
  // The simulator stores no items, so it identifies a reasoning item only by its encrypted content.
  if (!encrypted) return notFound(id ?? 'rs_');
  if (!isVerifiedContent(encrypted)) {
    const message = `The encrypted content ${encrypted.slice(0, 8)}… could not be verified. This server did not make it.`;
    return { code: 'invalid_encrypted_content', message, param: null };
  }
  const isFollowed = next?.type === 'message' ? next.role === 'assistant' : next && FOLLOWING.has(next.type);
  if (isFollowed) return null;
  return refused(`Item '${id ?? 'rs_'}' of type 'reasoning' was provided without its required following item.`);
}

const FOLLOWING = new Set<InputItem['type']>([
  ...(['reasoning', 'function_call', 'web_search_call', 'code_interpreter_call'] as const),
  ...(['file_search_call', 'image_generation_call'] as const),
]);

/** Returns the first id that two items have, or null. */
function duplicateOf(items: InputItem[]): string | null {
  const seen = new Set<string>();
  for (const { id } of items) {
    if (id && seen.has(id)) return id;
    if (id) seen.add(id);
  }
  return null;
}

function notFound(id: string): Problem {
  return { ...refused(`Item with id '${id}' not found. This server stores no items.`), status: 404 };
}

function refused(message: string): Problem {
  return { code: null, message, param: 'input' };
}
