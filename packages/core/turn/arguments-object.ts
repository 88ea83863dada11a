import { jsonObject } from './json-value.ts';

/**
 * A call's arguments for a wire that takes objects only: none at all are an empty one, and what a model wrote
 * instead of an object is shown to it under `invalid_arguments`.
 */
export function argumentsObject(text: string): Record<string, unknown> {
  return text.trim() ? (jsonObject(text) ?? { invalid_arguments: text }) : {};
}
