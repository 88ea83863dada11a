import { canonicalJson } from './canonical-json.ts';

/** A call's arguments in one spelling, so that calls that mean the same can be told; no text is no arguments. */
export function canonicalArguments(text: string): string {
  return canonicalJson(text || '{}');
}
