import { type RawBuilder, sql } from 'kysely';
import type { TurnRing } from '../turn/ring.ts';

/** The columns of `turns` that a ring is made of. */
export const ringColumns: RawBuilder<TurnRing> = sql`'turn' as kind, turns.id as "turnId", turns.step,
  turns.ring as number, turns.provider, turns.priority`;
