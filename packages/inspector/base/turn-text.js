/** @import { TurnResource } from '#core/turn/resource/turn.ts' */
import { element } from './element.js';

/**
 * The last user message of a turn in one line, cut where it is long.
 * @param {Pick<TurnResource, 'input'>} turn
 */
export function titleOf({ input }) {
  const message = input.findLast(({ role }) => role === 'user') ?? input.at(-1);
  const line =
    textOf(message?.content ?? '')
      .trim()
      .split('\n')[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

/** @param {TurnResource['input'][number]['content']} content */
function textOf(content) {
  if (typeof content === 'string') return content;
  return content
    .map((part) => (part.type === 'input_text' ? part.text : `[${part.type.slice('input_'.length)}]`))
    .join(' ');
}

/**
 * How far a turn is, or was: `round 3`.
 * @param {Pick<TurnResource, 'round'>} turn
 */
export function roundsOf({ round }) {
  return round === 0 ? 'not started' : `${round} ${round === 1 ? 'round' : 'rounds'}`;
}

/**
 * A count as every part of the page writes it: `12,345`.
 * @param {number} number
 */
export function formatCount(number) {
  return number.toLocaleString('en');
}

/**
 * A count where there is little room: `12.3K`.
 * @param {number} number
 */
export function formatShort(number) {
  return number < 10_000
    ? formatCount(number)
    : number.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
}

/**
 * Tokens as every part of the page writes them: `1,234 in, 56 out`.
 * @param {{ input_tokens: number, output_tokens: number }} usage
 */
export function formatTokens({ input_tokens: taken, output_tokens: given }) {
  return `${formatCount(taken)} in, ${formatCount(given)} out`;
}

/**
 * How many input tokens came from a cache, and which share of the input they are.
 * @param {{ input_tokens: number, cached_input_tokens: number }} usage
 */
export function formatShare({ input_tokens: taken, cached_input_tokens: cached }) {
  const share = taken > 0 ? cached / taken : 0;
  return `${formatCount(cached)} (${share.toLocaleString('en', { style: 'percent' })})`;
}

/**
 * US dollars as every part of the page writes them: two digits that count, or cents.
 * @param {number} usd
 */
export function formatUsd(usd) {
  const digits = usd < 0.1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 };
  return usd.toLocaleString('en', { style: 'currency', currency: 'USD', ...digits });
}

/**
 * Why a turn failed or is incomplete, in a line: its code, and what the API says of it; null where all is well.
 * @param {Pick<TurnResource, 'error' | 'incomplete_details'>} turn
 * @returns {{ code: string, message: string } | null}
 */
export function troubleOf({ error, incomplete_details: incomplete }) {
  return error ?? (incomplete && { code: incomplete.reason, message: '' });
}

/** The statuses of a turn, in the order of its life, in words. */
export const STATUS_WORDS = {
  queued: 'Queued',
  in_progress: 'In progress',
  requires_action: 'Requires action',
  completed: 'Completed',
  incomplete: 'Incomplete',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/**
 * A status in words; a status of another kind stays as it is, without underscores.
 * @param {string} status
 */
export function wordsOf(status) {
  return Object.entries(STATUS_WORDS).find(([known]) => known === status)?.[1] ?? status.replaceAll('_', ' ');
}

/**
 * A status in colour and in words, for turns, tool calls and deliveries.
 * @param {string} status
 */
export function statusBadge(status) {
  return element('span', { class: `badge ${status}` }, wordsOf(status));
}
