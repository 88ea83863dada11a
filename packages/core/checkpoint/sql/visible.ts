import { sql } from 'kysely';

/**
 * Whether callers find a turn: it is stored and not deleted (contract-responses R14, R28). Workers work all turns; what
 * callers read, list or change has this condition.
 */
export const isVisible = sql<boolean>`turns.stored and turns.hidden_at is null`;

/**
 * Whether a turn is items that were added to a conversation (`isAdded` in turn.ts): visible as part of its conversation, but
 * no turn or response that callers find.
 */
export const isAddedItems = sql<boolean>`(turns.status = 'completed' and turns.started_at is null)`;

/** Whether the turn of a delivery is visible, or the delivery is of an event that no turn has. */
export const hasVisibleTurn = sql<boolean>`(deliveries.turn_id is null or exists (
  select from turns where turns.id = deliveries.turn_id and ${isVisible}))`;
