/** @import { TurnResource } from '#core/turn/present-turn.ts' */

/**
 * What a person asked last in a turn, in one line; long ones are cut.
 * @param {Pick<TurnResource, 'input'>} turn
 */
export function titleOf({ input }) {
  const asked = input.findLast(({ role }) => role === 'user') ?? input.at(-1);
  const line = (asked?.content ?? '').trim().split('\n')[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
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
export function tellCount(number) {
  return number.toLocaleString('en');
}

/**
 * Tokens as every part of the page writes them: `1,234 in, 56 out`.
 * @param {{ input_tokens: number, output_tokens: number }} usage
 */
export function tellTokens({ input_tokens: taken, output_tokens: given }) {
  return `${tellCount(taken)} in, ${tellCount(given)} out`;
}

/**
 * Why a turn failed or is incomplete, in a line: its code, and what the API says of it; null where all is well.
 * @param {Pick<TurnResource, 'error' | 'incomplete_details'>} turn
 * @returns {{ code: string, message: string } | null}
 */
export function troubleOf({ error, incomplete_details: incomplete }) {
  return error ?? (incomplete && { code: incomplete.reason, message: '' });
}
