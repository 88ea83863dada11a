import { z } from 'zod';
import { parseJson } from '../parse-json.ts';

const text = z.string().nullish().catch(null);

const Detail = z.object({
  '@type': text,
  reason: text,
  retryDelay: text,
  requestId: text,
  violations: z
    .array(z.object({ quotaId: text, quotaValue: text }))
    .nullish()
    .catch(null),
});

const Shape = z.object({
  code: z.union([z.number(), z.string()]).nullish().catch(null),
  status: text,
  message: text,
  details: z.array(Detail).nullish().catch(null),
});

/** What can be read from one of Google's error objects; `quotas` names the limits that were passed. */
export type ErrorBody = {
  status: number | null;
  /** Google's own word for the status: `RESOURCE_EXHAUSTED`. */
  word: string | null;
  /** What happened, more closely: `API_KEY_INVALID`. */
  reason: string | null;
  message: string | null;
  quotas: { id: string; value: string | null }[];
  retryMs: number | undefined;
  requestId: string | null;
};

/** The status each of Google's words stands for, where an error inside a stream tells no number. */
const STATUSES = new Map([
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['OUT_OF_RANGE', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['ABORTED', 409],
  ['RESOURCE_EXHAUSTED', 429],
  ['CANCELLED', 499],
  ['UNKNOWN', 500],
  ['INTERNAL', 500],
  ['DATA_LOSS', 500],
  ['UNIMPLEMENTED', 501],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
]);

/** Reads an error in any of its forms: `{error}`, `[{error}]`, the object itself, its text; nothing is required. */
export function readErrorBody(body: unknown): ErrorBody {
  const { data } = Shape.safeParse(errorIn(typeof body === 'string' ? parseJson(body) : body));
  const details = data?.details ?? [];
  const word = data?.status ?? null;
  return {
    status: statusIn(data?.code) ?? STATUSES.get(word ?? '') ?? null,
    word,
    reason: details.find(({ reason }) => reason)?.reason ?? null,
    message: data?.message ?? null,
    quotas: details
      .flatMap(({ violations }) => violations ?? [])
      .map(({ quotaId, quotaValue }) => ({ id: quotaId ?? '', value: quotaValue ?? null })),
    retryMs: millisecondsOf(details.find(({ retryDelay }) => retryDelay)?.retryDelay),
    requestId: details.find(({ requestId }) => requestId)?.requestId ?? null,
  };
}

function errorIn(body: unknown): unknown {
  const first = Array.isArray(body) ? body[0] : body;
  if (typeof first !== 'object' || first === null || !('error' in first)) return first;
  return typeof first.error === 'string' ? { message: first.error } : first.error;
}

function statusIn(code: string | number | null | undefined): number | null {
  const number = Number(code ?? Number.NaN);
  return Number.isInteger(number) && number >= 400 && number <= 599 ? number : null;
}

const LONGEST_MS = 86_400_000;

/** `17s` or `17.5s`; never more than a day. */
function millisecondsOf(delay: string | null | undefined): number | undefined {
  const seconds = delay && /^\d+(\.\d+)?s$/.test(delay) ? Number.parseFloat(delay) : null;
  return seconds === null ? undefined : Math.min(Math.ceil(seconds * 1000), LONGEST_MS);
}
