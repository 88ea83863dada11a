import { jsonObject, parseJson } from '../../json.ts';
import type { Message } from '../message.ts';

/** Returns arguments as an object. A text that is not an object is under `invalid_arguments`. */
export function argumentsAsObject(text: string): Record<string, unknown> {
  return text.trim() ? (jsonObject(text) ?? { invalid_arguments: text }) : {};
}

type Answer = Pick<Extract<Message, { role: 'tool' }>, 'content' | 'isError'>;

/** Returns an answer as an object. A text with numbers too long for exact parsing stays text. */
export function resultAsObject({ content, isError }: Answer): Record<string, unknown> {
  if (isError) return { error: content };
  if (/\d{16}/.test(content)) return { result: content };
  return jsonObject(content) ?? { result: jsonList(content) ?? content };
}

function jsonList(text: string): unknown[] | null {
  const value = parseJson(text);
  return Array.isArray(value) ? value : null;
}

/**
 * Returns the arguments as the model wrote them if they are an object, since many servers refuse others in a history.
 */
export function objectText(args: string): string {
  return jsonObject(args) ? args : JSON.stringify(argumentsAsObject(args));
}
