import { isRefusal, mayTeach, type Refused, withoutNames } from '../refusals/ask-again.ts';
import { losesState, nextThoughtState } from '../refusals/thought-state.ts';
import type { Form } from './render-request.ts';

/** The fields that Pawl adds on its own or can do without, with the words for them. The first that is named counts. */
const ADDED: { field: Exclude<keyof Form, 'isKept'>; words: RegExp }[] = [
  {
    field: 'include',
    words:
      /(["'`]|: |-> )include\b|\binclude\[|\breasoning\.encrypted_content\b|\bencrypted content is not (supported|available|enabled)/i,
  },
  { field: 'streamOptions', words: /\bstream_options\b|\binclude_obfuscation\b/i },
  { field: 'cacheOptions', words: /\bprompt.cache.options\b|["'`.]ttl\b|\bprompt.?cach(e|ing)\b/i },
  {
    field: 'store',
    words: /(unknown|unrecognized|unsupported|extra)[^.]{0,60}\bstore\b|\bstore["'`]? (is |field )?(not|un)/i,
  },
  { field: 'cacheKey', words: /\bprompt_cache_key\b|\bprompt.?cach(e|ing)\b/i },
  {
    field: 'instructions',
    words:
      /(unknown|unsupported|unrecognized|support|permit)[^.]{0,60}\binstructions\b|\binstructions\b[^.]{0,60}support/i,
  },
];

/**
 * Returns the form of the next try after a refusal; null if the refusal is about anything else. Only what Pawl chose
 * itself changes, never a field of the caller.
 */
export function learnForm(refused: Refused, form: Form): Form | null {
  if (!mayTeach(refused)) return null;
  const withoutState = form.isKept ? { ...form, isKept: false } : null;
  if (withoutState && losesState(refused)) return withoutState;
  const said = withoutNames(refused.text);
  const added = isRefusal(said) ? withoutAdded(said, form) : null;
  if (added) return added;
  const isOfItem = isRefusal(said) && /\binput\[\d+\]/.test(said);
  return isOfItem || nextThoughtState(refused, { ...form, isFilled: true }) ? withoutState : null;
}

/** Some servers list the fields that they know after the one that they refuse. */
const KNOWN_FIELDS =
  /\b(expected one of|(known|valid|allowed|supported|permitted) (fields?|param\w*|arguments?|keys?))\b/i;

function withoutAdded(said: string, form: Form): Form | null {
  const [refused = said] = said.split(KNOWN_FIELDS);
  const added = ADDED.find(({ field, words }) => form[field] && words.test(refused));
  return added ? { ...form, [added.field]: false } : null;
}
