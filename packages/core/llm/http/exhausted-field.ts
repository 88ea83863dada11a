import type { Reply } from '../../turn/reply.ts';
import type { AnswerHeaders } from './http-client.ts';

/** The units that providers limit separately. */
const COUNTED = ['requests', 'tokens', 'input-tokens', 'output-tokens'];

/** The headers with the rest of a limit and the time of its reset: OpenAI and servers of its wires · Anthropic. */
const HEADERS = COUNTED.flatMap((counted) => [
  { left: `x-ratelimit-remaining-${counted}`, reset: `x-ratelimit-reset-${counted}` },
  { left: `anthropic-ratelimit-${counted}-remaining`, reset: `anthropic-ratelimit-${counted}-reset` },
]);

/** Returns `exhaustedForMs` if headers report a used-up limit with the time of its reset, otherwise no field. */
export function exhaustedField(headers: AnswerHeaders, now = Date.now()): Pick<Reply, 'exhaustedForMs'> {
  const waits = HEADERS.flatMap(({ left, reset }) => {
    const isOver = /^\s*0+(\.0*)?\s*$/.test(headers.get(left) ?? '');
    return isOver ? (resetInMs(headers.get(reset), now) ?? []) : [];
  });
  const longest = Math.max(0, ...waits);
  return longest > 0 ? { exhaustedForMs: Math.ceil(longest) } : {};
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads seconds, or a time since 1970 in seconds or milliseconds. */
function ofNumber(given: number, now: number): number {
  if (given >= 1e12) return given - now;
  return given >= 1e9 ? given * 1_000 - now : given * 1_000;
}

/** Reads a reset: `6m0s`, `120ms`, a number, or a time of RFC 3339. */
function resetInMs(text: string | null, now: number): number | null {
  const given = text?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(given)) return ofNumber(Number(given), now);
  if (/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(given)) {
    const parts = given.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g);
    return parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0);
  }
  const time = /^\d{4}-\d\d-\d\dT/.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(time) ? null : time - now;
}
