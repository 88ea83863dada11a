import type { Generated } from 'kysely';

export type SearchEntryRow = {
  id: string;
  completed_at: Date | null;
  tokens: string;
};

export type SearchProgressRow = {
  id: Generated<number>;
  turns_until: Generated<Date>;
  last_turn: Generated<string>;
  active_until: Generated<string>;
  conversations_until: Generated<Date>;
  last_conversation: Generated<string>;
};
