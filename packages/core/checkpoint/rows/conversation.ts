import type { Generated } from 'kysely';
import type { StandingConfig } from '../../turn/request/turn.ts';

export type ConversationRow = {
  id: string;
  project: string;
  config: StandingConfig;
  metadata: Record<string, string>;
  turns: Generated<number>;
  reopened: Generated<number>;
  forked_from: Generated<string | null>;
  forked_round: Generated<number | null>;
  deletions: Generated<number>;
  forked_after: Generated<number>;
  hidden_at: Generated<Date | null>;
  outlives_turns: Generated<boolean>;
  begun_by_turn: Generated<boolean>;
  erase_due_at: Generated<Date | null>;
  expiry_due_at: Generated<Date | null>;
  created_at: Generated<Date>;
};
