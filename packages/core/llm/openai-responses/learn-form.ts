import { readError, readRefusal } from '../errors/read-error.ts';
import { meaningOfSigns } from '../errors/signs.ts';
import type { Refusal } from '../http/open-reply.ts';
import { isRefusal, mayTeach, type Refused, withoutNames } from '../refusals/ask-again.ts';
import { losesState, nextThoughtState } from '../refusals/thought-state.ts';
import { learnInclude } from './include.ts';
import type { Form } from './render-request.ts';

/** Optional fields that Pawl adds, with the words for them. The first match counts, after `include`. */
const ADDED: { field: Exclude<keyof Form, 'isKept' | 'include'>; words: RegExp }[] = [
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

/** Returns the form of the next attempt after a refusal, or null. Only Pawl's own fields change, never the caller's. */
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

/** The words before a list of supported fields, which some servers add after the refused field. */
const KNOWN_FIELDS =
  /\b(expected one of|(known|valid|allowed|supported|permitted) (fields?|param\w*|arguments?|keys?))\b/i;

function withoutAdded(said: string, form: Form): Form | null {
  const [refused = said] = said.split(KNOWN_FIELDS);
  const include = learnInclude(refused, form.include);
  if (include) return { ...form, include };
  const added = ADDED.find(({ field, words }) => form[field] && words.test(refused));
  return added ? { ...form, [added.field]: false } : null;
}

/** Statuses for an unknown path, or an unsupported method at a path. */
const NO_PATH = [404, 405, 501];

/** The words of servers for an unknown path. An empty message means the same. */
const OF_PATH =
  /^$|\bnot found\W*$|method not allowed|not implemented|\bcannot post\b|invalid url|page not found|(unknown|unrecognized|no( matching)?|unexpected|unsupported|not supported) (request )?(url|path|route|handler|endpoint|static resource)\b|not found on this server|see get\b/i;

/** The words for a name in the request: the model, its deployment, or an object of the server. */
const OF_REQUEST =
  /model|deployment|with id|no such|vector store|container|prompt|\bitems?\b|previous_response|project|organi[sz]ation/i;

/** LM Studio sends this message with status 200. */
const IN_REPLY = /\bunexpected endpoint or method\b/i;

/** Returns whether an error inside a 200 says that the server has no `/responses`. */
export function lacksWireInReply(error: unknown): boolean {
  return IN_REPLY.test(readError(error).message ?? '');
}

/** Returns whether a refusal only says that the server has no `/responses`. */
export function lacksWire(refusal: Pick<Refusal, 'status' | 'text'>, model: string): boolean {
  if (!NO_PATH.includes(refusal.status)) return false;
  const said = readRefusal(refusal);
  if (meaningOfSigns(said) !== null || said.codes.some((code) => OF_REQUEST.test(code))) return false;
  // The path itself may contain a word for the model.
  const words = (said.message ?? '').replace(/\S*\/\S*/g, '').trim();
  return OF_PATH.test(words) && !OF_REQUEST.test(words) && !words.includes(model);
}
