import { cleanText } from '../../text.ts';

/** Characters of an id that is kept. LiteLLM writes thought signatures of Gemini into its ids. */
const LONGEST = 64 * 1024;

/**
 * Returns whether the id of a call is kept as state of its provider. Other servers would refuse this id, and Pawl may
 * give the call another id, so only its own provider gets it back.
 */
export function isOddId(id: unknown): id is string {
  if (typeof id !== 'string' || /^[a-zA-Z0-9_-]{1,40}$/.test(id)) return false;
  return id.trim() !== '' && id.length <= LONGEST && cleanText(id) === id;
}
