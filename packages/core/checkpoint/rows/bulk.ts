import type { Generated } from 'kysely';

/** The action of a bulk on each of its turns. */
export const BULK_ACTIONS = ['cancel', 'retry', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** A row of `bulks`: one action on many turns. */
export type BulkRow = {
  id: string;
  project: string;
  action: BulkAction;
  filter: Record<string, unknown>;
  matched: number;
  done: Generated<number>;
  failed: Generated<number>;
  errors: Generated<{ turn_id: string; code: string }[]>;
  /** Up to this turn those that have not begun are stopped; null where all are, or the bulk stops none. */
  stops_after: string | null;
  due_at: Date | null;
  created_at: Generated<Date>;
  completed_at: Date | null;
};

/** A row of `bulk_turns`: a turn of a bulk that is not counted yet. */
export type BulkTurnRow = { bulk_id: string; turn_id: string; outcome: Generated<string | null> };
