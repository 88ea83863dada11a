import { cleanText } from '../../text.ts';

/** Characters of an id that is kept. LiteLLM writes thought signatures of Gemini into its ids. */
const LONGEST = 64 * 1024;

/** Whether only the provider of a call gets its id back. Other servers would refuse it, or Pawl may replace it. */
export function isOddId(id: unknown): id is string {
  if (typeof id !== 'string' || /^[a-zA-Z0-9_-]{1,40}$/.test(id)) return false;
  return id.trim() !== '' && id.length <= LONGEST && cleanText(id) === id;
}
