import { isUnknown, mayTeach, type Refused, withoutNames } from '../refusals/ask-again.ts';
import { nextThoughtState } from '../refusals/thought-state.ts';
import { type Container, losesContainer } from './hosted/container.ts';
import type { Form } from './render-request.ts';

/** A refused request: its form, whether Pawl has added cache marks to it, and the container of earlier replies. */
export type Tried = { form: Form; isMarked: boolean; container: Container | null };

/** Returns the form of the next attempt after a refusal, or null for other refusals. Marks lose their time first. */
export function learnForm(refused: Refused, { form, isMarked, container }: Tried): Form | null {
  if (!form.isDirect && isAboutCallers(refused)) return { ...form, isDirect: true };
  if (!form.withoutContainer && losesContainer(refused, container)) return { ...form, withoutContainer: true };
  if (!isMarked || !isAboutMarks(refused)) return nextThoughtState(refused, form);
  const isAboutTtl = form.takesTtl && /\bttl\b/i.test(withoutNames(refused.text));
  return { ...form, ...(isAboutTtl ? { takesTtl: false } : { takesMarks: false }) };
}

/** Returns whether each request of the model would be refused: it cannot call tools from code, or takes no marks. */
export function isLastingForm(refused: Refused, isMarked: boolean): boolean {
  if (isAboutCallers(refused)) return true;
  const said = withoutNames(refused.text);
  return isMarked && isAboutMarks(refused) && (isUnknown(said) || CACHING.test(said));
}

/** Anthropic refuses newer hosted tools so for models that cannot call them from code. */
function isAboutCallers(refused: Refused): boolean {
  return mayTeach(refused) && /\bprogrammatic tool call/i.test(refused.text);
}

const CACHING = /\bprompt.?cach/i;

/** Returns whether a refusal is about marks. Some servers refuse them with the status for permissions. */
function isAboutMarks(refused: Refused): boolean {
  const said = withoutNames(refused.text);
  if (CACHING.test(said) && refused.status === 403) return true;
  return mayTeach(refused) && (/\bcache_?control\b/i.test(said) || CACHING.test(said));
}
