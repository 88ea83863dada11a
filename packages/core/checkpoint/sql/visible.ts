import { sql } from 'kysely';

/**
 * The condition that callers find a turn: it is stored and not deleted. Workers work all turns, but callers read,
 * list and change only these.
 */
export const isVisible = sql<boolean>`turns.stored and turns.hidden_at is null`;

/**
 * The condition that a row is items that were added to a conversation (`isAdded` in turn.ts). They are visible in
 * their conversation, but no caller finds them as a turn or a response. It is never null, although `turns.status` is
 * null while a turn is active, so `turns` and `turn_states` give the same value.
 */
export const isAddedItems = sql<boolean>`(turns.status is not distinct from 'completed' and turns.started_at is null)`;

/** The condition that the turn of a delivery is visible, or that no turn has its event. */
export const hasVisibleTurn = sql<boolean>`(deliveries.turn_id is null or exists (
  select from turns where turns.id = deliveries.turn_id and ${isVisible}))`;
