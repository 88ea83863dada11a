import type { Part } from './request/item.ts';

/** The categories of failed calls. The model reads them too. */
export const TOOL_ERROR_CATEGORIES = [
  'invalid_arguments',
  'authentication_failed',
  'rate_limited',
  'resource_not_found',
  'execution_timeout',
  'network_error',
  'permission_denied',
  'cancelled',
  'outcome_unknown',
  'unknown',
] as const;
export type ToolErrorCategory = (typeof TOOL_ERROR_CATEGORIES)[number];

export type ToolError = { category: ToolErrorCategory; message: string; details: Record<string, unknown> };

/**
 * The answer to one call, written once.
 * - `handed_over`: the caller answers in a later turn.
 * - `truncated`: the model sees less.
 * - `partial`: the row has less, and no result shows it.
 * - `content` is the text of `parts`, with notes for media.
 */
export type ToolResult = {
  status: 'success' | 'error' | 'handed_over';
  content: string | null;
  parts?: Part[];
  error: ToolError | null;
  truncated: boolean;
  partial?: true;
  cached: boolean;
  duration_ms: number;
  attempts: number;
};

const NEVER_RAN = { truncated: false, cached: false, duration_ms: 0, attempts: 0 };

/** Returns the answer for a call that never ran, or with an unknown outcome. */
export function errorResult(error: ToolError, spent: { duration_ms?: number; attempts?: number } = {}): ToolResult {
  return { status: 'error', content: null, error, ...NEVER_RAN, ...spent };
}

/** Returns the answer for a call that a person denied. The model reads the reason. */
export function deniedResult(reason: string | null): ToolResult {
  const message = reason ? `A person denied this call: ${reason}` : 'A person denied this call.';
  return errorResult({ category: 'permission_denied', message, details: {} });
}

/** Returns the note before the result of a call that ran with changed arguments (R39). */
export function approvedNote(approved: string): string {
  return `[The person who allowed this call changed its arguments. It ran with: ${approved}]`;
}

/** The result of a call that the caller answers in the input of a later turn. */
export const HANDED_OVER: ToolResult = { status: 'handed_over', content: null, error: null, ...NEVER_RAN };

/** Returns the text for the model: the output, or the error. No tool can forge the last line of an error. */
export function answerText(result: ToolResult): string {
  if (!result.error) return result.content ?? '';
  const { category, message, details } = result.error;
  const pairs = Object.entries(details).map(([key, value]) => onOneLine(`${key}: ${plain(value)}`));
  const head = `Tool execution failed (${category}): ${message.replace(FORGED_LINE, ' ')}`;
  return pairs.length ? `${head}\nDetails: ${pairs.join(', ')}` : head;
}

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
const FORGED_LINE = /[\n\r\v\f\u0085\u2028\u2029]\s*(?=Details:)/gi;

function onOneLine(text: string): string {
  return text.replace(LINE_END, '\\n');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
