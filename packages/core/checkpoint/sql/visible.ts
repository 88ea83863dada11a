import { sql } from 'kysely';

/**
 * Whether callers find a turn: it is stored and not deleted (contract-responses R14, R28). Workers work all turns; what
 * callers read, list or change has this condition.
 */
export const isVisible = sql<boolean>`turns.stored and turns.hidden_at is null`;

/**
 * The condition that a row is items which were added to a conversation (`isAdded` in turn.ts). They are visible as
 * part of their conversation, but no caller finds them as a turn or a response. The condition is never null, although
 * `turns.status` is null while a turn is active. So `turns` and `turn_states` give it the same value.
 */
export const isAddedItems = sql<boolean>`(turns.status is not distinct from 'completed' and turns.started_at is null)`;

/** Whether the turn of a delivery is visible, or the delivery is of an event that no turn has. */
export const hasVisibleTurn = sql<boolean>`(deliveries.turn_id is null or exists (
  select from turns where turns.id = deliveries.turn_id and ${isVisible}))`;
