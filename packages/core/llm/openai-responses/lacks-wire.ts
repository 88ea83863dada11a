import { readError, readRefusal } from '../errors/read-error.ts';
import { meaningOfSigns } from '../errors/signs.ts';
import type { Refusal } from '../http/open-reply.ts';

/** Statuses for a path, or a method at a path, that the server does not have. */
const NO_PATH = [404, 405, 501];

/** The words of servers for a path that they do not have. An empty message says the same. */
const OF_PATH =
  /^$|\bnot found\W*$|method not allowed|not implemented|\bcannot post\b|invalid url|page not found|(unknown|unrecognized|no( matching)?|unexpected|unsupported|not supported) (request )?(url|path|route|handler|endpoint|static resource)\b|not found on this server|see get\b/i;

/** The words for something that the request names: the model, its deployment, or an object of the server. */
const OF_REQUEST =
  /model|deployment|with id|no such|vector store|container|prompt|\bitems?\b|previous_response|project|organi[sz]ation/i;

/** LM Studio says so with status 200. */
const IN_REPLY = /\bunexpected endpoint or method\b/i;

/** Whether an error inside a 200 says that the server has no `/responses`. */
export function lacksWireInReply(error: unknown): boolean {
  return IN_REPLY.test(readError(error).message ?? '');
}

/** Whether a refusal says that the server has no `/responses`, and nothing else. */
export function lacksWire(refusal: Pick<Refusal, 'status' | 'text'>, model: string): boolean {
  if (!NO_PATH.includes(refusal.status)) return false;
  const said = readRefusal(refusal);
  if (meaningOfSigns(said) !== null || said.codes.some((code) => OF_REQUEST.test(code))) return false;
  // The path itself may have a word for the model in it.
  const words = (said.message ?? '').replace(/\S*\/\S*/g, '').trim();
  return OF_PATH.test(words) && !OF_REQUEST.test(words) && !words.includes(model);
}
