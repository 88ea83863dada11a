import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { BulkFault } from './bulk-fault.ts';

/** One condition that a bulk depends on, and the faults that show its lack. */
export type BulkGuard = GuardWords & { faults: Left<BulkFault>; caught: { broken: string } | 'stuck' };

const settle = 'packages/core/checkpoint/bulk/settle-turn.ts';
const stops = 'packages/core/checkpoint/bulk/stop-turns.ts';
const twice = { broken: 'a turn was treated twice' };

/** What keeps a bulk to its turns, each once: R34. */
export const bulkGuards = {
  meantTurnsAreKept: {
    ...{
      rule: 'R34',
      file: 'packages/core/checkpoint/bulk/create-bulk.ts',
      code: 'insert into bulk_turns (bulk_id, turn_id)',
    },
    without: 'a portion looks anew for what matches',
    ...{ faults: { create: 1 }, caught: { broken: 'a turn was treated that came later' } },
  },
  onlyLeftTurnIsTreated: {
    ...{ rule: 'R34', file: settle, code: 'and outcome is null for update' },
    without: 'a worker treats the turns of its portion, whoever has been there since',
    ...{ faults: { stall: 1 }, caught: twice },
  },
  outcomeIsOfTreatment: {
    ...{
      rule: 'R34',
      file: 'services/worker/bulk/treat-turn.ts',
      code: 'await settleBulkTurn(trx, { bulkId, turnId, outcome: done.outcome })',
    },
    without: 'what came of a turn is recorded apart from its treatment',
    ...{ faults: { crash: 1 }, caught: twice },
  },
  countedIsGone: {
    ...{ rule: 'R34', file: settle, code: 'delete from bulk_turns where bulk_id = bulkId and outcome is not null' },
    without: 'what is counted stays, and is counted again',
    ...{ faults: {}, caught: { broken: 'a turn was counted twice' } },
  },
  stoppedTurnHasNoPlace: {
    ...{
      rule: 'R27',
      file: 'packages/core/checkpoint/sql/place.ts',
      code: `(work.place is null or work.place = 'held')`,
    },
    without: 'a worker begins a turn that a bulk has stopped',
    ...{ faults: {}, caught: { broken: 'a turn began that was stopped' } },
  },
  treatedTurnIsNotStopped: {
    ...{ rule: 'R34', file: stops, code: 'and turn_id > stops_after and outcome is null' },
    without: 'a turn is stopped after its treatment has failed',
    ...{ faults: { fail: 1 }, caught: 'stuck' },
  },
  failedTreatmentReleases: {
    ...{ rule: 'R34', file: stops, code: `set place = 'none', due_at = case when at_head then now()` },
    without: 'a turn stays stopped although the bulk is done with it',
    ...{ faults: { fail: 1 }, caught: 'stuck' },
  },
  openBulkStaysDue: {
    ...{ rule: 'R34', file: settle, code: '< matched then now() end' },
    without: 'a bulk with turns left is due at no time',
    ...{ faults: {}, caught: 'stuck' },
  },
} satisfies Record<string, BulkGuard>;

/** Which guards are up. */
export type BulkGuards = Readonly<Record<keyof typeof bulkGuards, boolean>>;
