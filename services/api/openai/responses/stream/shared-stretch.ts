import { type LogPosition, type LogStretch, readStretch } from '#core/turn/responses/log.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { StateSeals } from '../sealing/state-seals.ts';

/** How many stretches of a turn are shared. Streams that are further apart read their own. */
const SHARED = 64;

const shared = new WeakMap<Turn, Map<number | null, LogStretch | undefined>>();

/** In which order the calls at the position were answered, as far as the turn has results, and what seals state. */
type Reading = { order: readonly number[]; stateSeals: StateSeals };

/**
 * Reads the stretch of a turn behind a position, once for all streams of the turn. Its events are the same objects for all, so
 * that the streams share their bytes, too.
 */
export function sharedStretch(known: Turn, position: LogPosition, { order, stateSeals }: Reading) {
  const stretches = shared.get(known) ?? new Map<number | null, LogStretch | undefined>();
  shared.set(known, stretches);
  if (!stretches.has(position.rounds)) {
    stretches.set(
      position.rounds,
      readStretch(stateSeals.sealRounds(known), position, () => order),
    );
    for (const oldest of stretches.keys()) if (stretches.size > SHARED) stretches.delete(oldest);
  }
  return stretches.get(position.rounds);
}

const orders = new WeakMap<Turn, Map<number, Promise<number[]>>>();

/** Reads once for all streams of a turn in which order the calls of a batch were answered. A read that fails is not kept. */
export function sharedOrder(known: Turn, round: number, read: () => Promise<number[]>): Promise<number[]> {
  const ofTurn = orders.get(known) ?? new Map<number, Promise<number[]>>();
  orders.set(known, ofTurn);
  const running = ofTurn.get(round);
  if (running) return running;
  const order = read();
  ofTurn.set(round, order);
  order.catch(() => ofTurn.delete(round));
  return order;
}
