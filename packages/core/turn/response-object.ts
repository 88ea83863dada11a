import { jsonObject, jsonValue } from './json-value.ts';
import type { Message } from './message.ts';

type Answer = Pick<Extract<Message, { role: 'tool' }>, 'content' | 'isError'>;

/**
 * An answer for a wire that takes objects only: a JSON object as it is, anything else as `result`, a failure as
 * `error`. What holds numbers too long to be read exactly stays text.
 */
export function responseObject({ content, isError }: Answer): Record<string, unknown> {
  if (isError) return { error: content };
  if (/\d{16}/.test(content)) return { result: content };
  return jsonObject(content) ?? { result: jsonList(content) ?? content };
}

function jsonList(text: string): unknown[] | null {
  const value = jsonValue(text);
  return Array.isArray(value) ? value : null;
}
