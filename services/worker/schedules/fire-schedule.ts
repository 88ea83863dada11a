import { countQueuedTurns, lockQueuedTurns, withinSavepoint } from '#core/checkpoint/limits/queued-turns.ts';
import { type DueSchedule, hasFired, lockDueSchedule, recordFiring } from '#core/checkpoint/schedules/firings.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { isTransient } from '#core/postgres/retry-transient.ts';
import { type Decision, decideFiring } from '#core/schedule/next-time.ts';
import { planOf } from '#core/turn/schedule/schedule.ts';
import { type Publishing, publishChanges } from '../../process/publish-changes.ts';
import { refuseQuota } from '../../start/refuse-quota.ts';
import {
  type CheckedTurn,
  checkScheduledTurn,
  type SchedulingContext,
  startingScheduled,
} from '../../start/scheduled-turn.ts';
import type { Started } from '../../start/start-turn.ts';
import type { TokensPerDay } from '../../start/tokens-per-day.ts';

/** The resources for firing. */
export type SchedulingWorker = Publishing & SchedulingContext & { tokensPerDay: TokensPerDay };

/** A turn that may be started, or its refusal. */
type Prepared = CheckedTurn | RequestRefused;

/** The result of a committed firing, with the started turn, if any. Null if another worker fired first. */
type Fired = { started: Started | null } | null;

/**
 * Fires a due schedule. The turn, its record and the next time are one commit (R36). A refusal of the turn is
 * recorded instead. The database's clock decides. Returns false if another worker fired first or is firing.
 */
export async function fireSchedule(due: DueSchedule, context: SchedulingWorker): Promise<boolean> {
  const { nextAt, now, ifMissed } = due;
  const firing = decideFiring(planOf(due), { nextAt: Date.parse(nextAt), now: Date.parse(now), ifMissed });
  try {
    const prepared = firing.plannedAt === null ? null : await prepare(due, context);
    const fired = await context.db.transaction().execute((trx) => fire(trx, { due, firing, prepared }, context));
    if (fired?.started) {
      const { wakeups, interrupted: ended } = fired.started;
      await publishChanges(context, { wakeups, ended });
    }
    return fired !== null;
  } catch (error) {
    if (isTransient(error)) throw error;
    context.log.error({ event: 'schedule.failed', schedule_id: due.id, err: error }, 'a schedule failed to fire');
    return (
      (await context.db.transaction().execute((trx) => fire(trx, { due, firing, prepared: BROKEN }, context))) !== null
    );
  }
}

/** The error of a firing that failed. Only the log has the reason. */
const BROKEN = new RequestRefused(503, 'internal', 'Pawl could not start the turn. Check the worker log.');

/** Checks the turn before the transaction, since the check makes requests to other servers. */
async function prepare(due: DueSchedule, context: SchedulingWorker): Promise<Prepared> {
  try {
    await context.tokensPerDay.check(due.project);
    return await checkScheduledTurn(context, due);
  } catch (error) {
    if (error instanceof RequestRefused) return error;
    throw error;
  }
}

type Shot = { due: DueSchedule; firing: Decision; prepared: Prepared | null };

async function fire(trx: Trx, { due, firing, prepared }: Shot, context: SchedulingWorker): Promise<Fired> {
  const { maxQueuedTurns } = context.projects.find(due.project);
  if (maxQueuedTurns !== null && prepared) await lockQueuedTurns(trx, due.project);
  if (!(await lockDueSchedule(trx, due))) return null;
  const times = { id: due.id, plannedAt: isoOf(firing.plannedAt), nextAt: isoOf(firing.nextAt) };
  if (!prepared || (await hasFired(trx, times))) {
    await recordFiring(trx, { ...times, plannedAt: null });
    return { started: null };
  }
  const outcome = await start(trx, { due, prepared }, context);
  const started = outcome instanceof RequestRefused ? null : outcome;
  const error = outcome instanceof RequestRefused ? errorOf(outcome) : null;
  await recordFiring(trx, { ...times, turnId: started?.resourceId ?? null, error });
  return { started };
}

/** Starts the turn. A refusal undoes its writes. */
async function start(
  trx: Trx,
  { due, prepared }: { due: DueSchedule; prepared: Prepared },
  context: SchedulingWorker,
): Promise<Started | RequestRefused> {
  if (prepared instanceof RequestRefused) return prepared;
  const by = { keyId: due.keyId, scheduleId: due.id, needsSlot: context.admission.isNeeded() };
  const creation = startingScheduled(prepared, by);
  try {
    return await withinSavepoint(trx, async () => {
      const started = await (creation.inTransaction ? creation.inTransaction(trx) : creation.alone(trx));
      await refuseTooMany(trx, due.project, context);
      return started;
    });
  } catch (error) {
    if (error instanceof RequestRefused) return error;
    throw error;
  }
}

async function refuseTooMany(trx: Trx, name: string, { projects }: SchedulingWorker): Promise<void> {
  const project = projects.find(name);
  const most = project.maxQueuedTurns;
  if (most === null || (await countQueuedTurns(trx, name, most + 1)) <= most) return;
  refuseQuota(project, { name: 'max_queued_turns', resetSeconds: null });
}

function errorOf({ code, message, param }: RequestRefused) {
  return { code, message, param };
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
