import { RequestRefused } from '#core/failure.ts';
import { isRecord } from '#core/json.ts';

/** The items that answer a call. Only the caller can answer these calls. */
const ANSWERS = new Set([
  ...['function_call_output', 'custom_tool_call_output', 'mcp_approval_response', 'computer_call_output'],
  ...['local_shell_call_output', 'shell_call_output', 'apply_patch_call_output'],
]);

/** The roles of messages that are the user's, or that answer a call in a chat completion. */
const ROLES = { input: ['user'], items: ['user'], messages: ['user', 'tool', 'function'] };

/**
 * Refuses messages of another role than `user`, and items that do not answer a call. Applies to the input of requests
 * that may only use some agents. A text is always the user's.
 */
export function checkItems(given: unknown, field: keyof typeof ROLES): void {
  if (!Array.isArray(given)) return;
  for (const [at, item] of given.entries()) {
    const name = isRecord(item) ? refusedName(item, ROLES[field]) : null;
    if (name !== null) throw itemNotAllowed(`${field}[${at}]${name}`);
  }
}

/** Returns the path of the refused field within an item, or null. */
function refusedName({ type, role }: Record<string, unknown>, roles: string[]): string | null {
  const isMessage = (type ?? 'message') === 'message' && role !== undefined;
  if (isMessage) return roles.includes(String(role)) ? null : '.role';
  if (typeof type === 'string') return ANSWERS.has(type) ? null : '.type';
  return '';
}

function itemNotAllowed(param: string): RequestRefused {
  const message = `\`${param}\` is not allowed, because this key or project accepts messages of users and answers to calls only. Leave the item out, or ask the operator.`;
  return new RequestRefused(403, 'agent_override_not_allowed', message, param);
}
