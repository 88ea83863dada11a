import { isObject, repeated, unless } from './problems.ts';

type Item = Record<string, unknown>;

/** Returns the sentences about items without counterparts: calls and outputs, and reasoning and the item after it. */
export function checkResponsesOrder(input: unknown[]): string[] {
  const items = input.filter(isObject);
  const ids = items.flatMap(({ id }) => (typeof id === 'string' ? id : []));
  return [
    ...checkCalls(items),
    ...items.flatMap((item, at) => checkFollowing(item, items.slice(at + 1))),
    ...repeated(ids).map((id) => `Duplicate item found with id ${id}.`),
  ];
}

/** Checks that each output answers an earlier call, and that each call has exactly one output. */
function checkCalls(items: Item[]): string[] {
  const problems: string[] = [];
  const open = new Set<unknown>();
  for (const { type, call_id: id } of items) {
    if (type === 'function_call' || type === 'custom_tool_call') {
      if (open.has(id)) problems.push(`Duplicate function call with call_id ${id}.`);
      open.add(id);
    }
    if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      if (!open.delete(id)) problems.push(`No tool call found for function call output with call_id ${id}.`);
    }
  }
  return [...problems, ...[...open].map((id) => `No tool output found for function call ${id}.`)];
}

/** Checks that a message of the model or a call follows reasoning. More reasoning may be between them. */
function checkFollowing({ type, id = '' }: Item, rest: Item[]): string[] {
  if (type !== 'reasoning') return [];
  const next = rest.find((item) => item.type !== 'reasoning');
  const isLed = next !== undefined && !/_output$/.test(String(next.type)) && (next.role ?? 'assistant') === 'assistant';
  return unless(isLed, `Item '${id}' of type 'reasoning' was provided without its required following item.`);
}
