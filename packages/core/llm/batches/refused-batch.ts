import type { ProviderFailed } from '../../failure.ts';
import { readRefusal } from '../errors/read-error.ts';
import type { Refusal } from '../http/open-reply.ts';
import type { SentBatch } from './batch-server.ts';

type Refused = Extract<SentBatch, { kind: 'refused' }>;

/** Returns the refusal of a new batch: whether fewer requests may pass, and the only line that it names. */
export function refusedBatch(refusal: Refusal, failure: ProviderFailed, ids: readonly string[]): Refused {
  const { status } = refusal;
  const text = (readRefusal(refusal).message ?? '').slice(0, LONGEST);
  const id = BAD_REQUEST.includes(status) ? onlyLine(text, ids) : null;
  const badLine = id === null ? null : { id, status, text: refusal.text };
  const isTooLarge = status === 413 || (badLine === null && status !== 429 && saysTooLarge(text));
  return { kind: 'refused', failure, isTooLarge, badLine };
}

const LONGEST = 4000;
const BAD_REQUEST = [400, 422];

/** Returns whether a text says that a batch has too many requests or bytes. A full queue is another cause. */
export function saysTooLarge(text: string): boolean {
  return TOO_LARGE.test(text) && !QUEUE.test(text);
}

const TOO_LARGE =
  /too_?\W?(many|large|big)|exceed\w* .{0,60}(size|bytes|\b[MG]i?B\b|maximum|number of)|more than .{0,30}(requests|bytes|lines|[MG]i?B\b)|(maximum|at most|limit of) .{0,60}(requests|bytes|lines|size|\b[MG]i?B\b)|payload size|request_too_large/i;

const QUEUE = /enqueued|token|per (minute|day|hour)|rate.?limit|concurrent|active batches/i;

/** Returns the id of the only line that a text names, by its id or its place, or null. */
function onlyLine(text: string, ids: readonly string[]): string | null {
  const named = ids.filter((id) => id && text.includes(id));
  const indices = [...text.matchAll(/\brequests?(?:\.|\[)(\d{1,6})\b/g)].map(([, index]) => Number(index));
  const lines = [...text.matchAll(/\bline (?:number )?(\d{1,6})\b/gi)].map(([, line]) => Number(line) - 1);
  const places = [...indices, ...lines].map((index) => ids[index] ?? '');
  const found = new Set([...named, ...places]);
  const [only = ''] = found;
  return found.size === 1 && only ? only : null;
}
