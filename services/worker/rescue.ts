import { rescueDeliveries } from '#core/checkpoint/rescue-deliveries.ts';
import { rescueSooner } from '#core/checkpoint/rescue-sooner.ts';
import { rescueTurns } from '#core/checkpoint/rescue-turns.ts';
import type { WorkerContext } from './context.ts';

const AT_ONCE = 200;

type Rescuer = Pick<WorkerContext, 'db' | 'ring' | 'log' | 'limits'>;

/** Rings again for turns and deliveries that nobody is on although somebody should be; answers how many. */
export async function rescue({ db, ring, log, limits }: Rescuer): Promise<number> {
  const rings = [...(await rescueTurns(db, AT_ONCE, limits.limited())), ...(await rescueDeliveries(db, AT_ONCE))];
  if (rings.length === 0) return 0;
  log.info({ rings: rings.length }, `rescue: ${rings.length} rung again`);
  if (!(await ring(rings))) await rescueSooner(db, rings);
  return rings.length;
}
