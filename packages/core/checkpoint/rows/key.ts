import type { Generated } from 'kysely';

export type IdempotencyKeyRow = {
  project: string;
  path: string;
  key: string;
  body_hash: string;
  status_code: number | null;
  resource_id: string | null;
  created_at: Generated<Date>;
};

export type SealingKeyRow = {
  id: Generated<number>;
  key: string;
  created_at: Generated<Date>;
};
