import { isUnknown, mayTeach, type Refused, withoutNames } from '../refusals/ask-again.ts';
import { nextThoughtState } from '../refusals/thought-state.ts';
import type { Form } from './render-request.ts';

/** A request that was refused: its form, and whether Pawl has put marks for a cache into it. */
type Tried = { form: Form; isMarked: boolean };

/**
 * Returns the form of the next try after a refusal; null if the refusal is about anything else. Marks for a cache lose
 * their time first if that was refused.
 */
export function learnForm(refused: Refused, { form, isMarked }: Tried): Form | null {
  if (!isMarked || !isAboutMarks(refused)) return nextThoughtState(refused, form);
  const isAboutTtl = form.takesTtl && /\bttl\b/i.test(withoutNames(refused.text));
  return { ...form, ...(isAboutTtl ? { takesTtl: false } : { takesMarks: false }) };
}

/** Whether the server or its model would refuse the marks of each request, as far as the words say. */
export function isLasting(refused: Refused): boolean {
  const said = withoutNames(refused.text);
  return isAboutMarks(refused) && (isUnknown(said) || CACHING.test(said));
}

const CACHING = /\bprompt.?cach/i;

/** Some servers refuse a model that does not cache with the status for permissions. */
function isAboutMarks(refused: Refused): boolean {
  const said = withoutNames(refused.text);
  if (CACHING.test(said) && refused.status === 403) return true;
  return mayTeach(refused) && (/\bcache_?control\b/i.test(said) || CACHING.test(said));
}
