import type { Db } from '#core/checkpoint/tables.ts';
import { fillSchedules } from '#test/harness/fill-schedules.ts';
import type { visitor } from './visitor.ts';

/** One schedule more than a project may have. */
export async function useUpSchedules(ask: ReturnType<typeof visitor>['ask'], db: Db): Promise<void> {
  const body = { every_seconds: 60, enabled: false, turn: { model: 'openai/test', input: 'Hi' } };
  const { id } = await ask<{ id: string }>('POST', '/v1/schedules', { body });
  await fillSchedules(db, id, 0);
  await ask('POST', '/v1/schedules', { body });
}
