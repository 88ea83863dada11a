import { cleanText } from '../../text.ts';

/** The most characters of a kept id. LiteLLM writes thought signatures of Gemini into its ids. */
const LONGEST = 64 * 1024;

/**
 * Returns whether only the provider of a call gets its id back, since other servers would refuse it or Pawl may
 * replace it.
 */
export function isOddId(id: unknown): id is string {
  if (typeof id !== 'string' || /^[a-zA-Z0-9_-]{1,40}$/.test(id)) return false;
  return id.trim() !== '' && id.length <= LONGEST && cleanText(id) === id;
}
