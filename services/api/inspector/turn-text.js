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
