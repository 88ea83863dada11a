import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { type NextStep, nextStep } from '#core/turn/next-step.ts';
import { beforeLease } from '#core/turn/predict.ts';
import { nextModel } from '#core/turn/retry.ts';
import { FIRST_STEP } from '#core/turn/step.ts';
import { askedTier, isLate } from '#core/turn/tiers/change-tier.ts';
import type { Turn } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import { runToolBatch } from './batch/run-batch.ts';
import type { LeavePlace } from './batch/slow-batches.ts';
import type { WorkerContext } from './context.ts';
import { endRun } from './end-run.ts';
import { newRunId, openLease, type Run, startRun } from './lease/run.ts';
import { dueWakeups, endAtDeadline, endIfUnwritable } from './lease/stop-run.ts';
import { type OpenedTurn, openTurn } from './memory/open-turn.ts';
import { NO_SHARE } from './memory/shares.ts';
import { rateLimitOf } from './rate-limits.ts';
import { postponeRound } from './round/retry-round.ts';
import { runRound } from './round/run-round.ts';

/** A step that is due. `nextRun`: the run that a commit of this worker has given the lease of the step to. */
export type DueStep = { turnId: string; step: string; generation?: number; nextRun?: string };

/** What a job's place allows: its run may leave it, or continue in it. */
export type Place = { leavePlace?: LeavePlace; mayContinue?: (queue: string) => boolean };

/**
 * What every step has in common: it loads the turn, decides, takes a lease where another job could be on it, and does
 * the step. It returns the wakeups that are due then. A job may be lost, late or doubled:
 * - one that finds the turn leased writes nothing (R9);
 * - one that finds another step due enqueues that one (R11).
 *
 * A turn that has not begun is loaded and leased in one statement. A batch that lasts leaves its place, under its lease.
 */
export async function workTurn(job: DueStep, context: WorkerContext, place: Place = {}): Promise<Wakeup[]> {
  const runId = job.nextRun ?? newRunId();
  using opened = await openStep(job, { runId, context });
  if (!opened) return [];
  const { turn, isShortened, hasLease } = opened;
  const next = nextStep(turn);
  if (next.kind === 'nothing' || next.kind === 'wait') return [];
  if (next.kind === 'end' && next.because === 'deadline') return endAtDeadline(turn, context);
  if (turn.work.step !== job.step) return [wakeupOf(turn)];
  if (turn.work.leased) return [];

  using lease = openLease(runId, turn);
  if (hasLease) lease.take(turn.work.edition);
  const loaded = startRun(lease, { turn, isShortened, mayContinue: place.mayContinue ?? never });
  if (next.kind === 'run-round' && hasToWait(turn, context)) return postponeRound(loaded, { step: next }, context);
  const leased = hasLease ? loaded : await leaseWhereNeeded(loaded, next, context);
  if (!leased) return dueWakeups(loaded, context);
  if (turn.status === 'queued') context.watchers.publishContinued(turn.id);

  const run = { ...leased, queueWaitMs: reportBegin(turn, context) };
  using _tracked = context.heartbeat.track(lease, {
    limitMs: limitOf(turn, next, context),
    leavePlace: mayLeave(next, place.leavePlace),
    wasLeased: job.nextRun !== undefined,
  });
  return await endIfUnwritable(run, () => runStep(run, next, context), context);
}

const never = () => false;

/**
 * A turn that was opened for a step. `hasLease`: the run has the lease already, by this opening or by the commit before.
 * The turn is then as it was before the run took the lease, as for a run that takes the lease later.
 */
type OpenedStep = OpenedTurn & { hasLease: boolean };

async function openStep(
  job: DueStep,
  { runId, context }: { runId: string; context: WorkerContext },
): Promise<OpenedStep | null> {
  const begun = await beginFirst(job, { runId, context });
  if (begun) return { ...NO_SHARE, turn: begun, isShortened: false, hasLease: true };
  const opened = await openTurn(job, context);
  if (!opened) return null;
  const { work } = opened.turn;
  const hasLease = work.leased && work.leaseOwner === runId;
  return hasLease
    ? { ...opened, turn: { ...opened.turn, work: beforeLease(work) }, hasLease }
    : { ...opened, hasLease };
}

/** Reports that a run is on the step that its turn has waited with. Returns how long that was, in milliseconds. */
function reportBegin({ project, work }: Turn, { metrics }: WorkerContext): number {
  const waitedMs = Math.max(0, Date.now() - Date.parse(work.waitingSince));
  metrics.stepBegun(project, waitedMs);
  return waitedMs;
}

type Task = Exclude<NextStep, { kind: 'nothing' | 'wait' }>;

async function runStep(run: Run, next: Task, context: WorkerContext): Promise<Wakeup[]> {
  switch (next.kind) {
    case 'run-round':
      return runRound(run, next, context);
    case 'run-tool-batch':
      return runToolBatch(run, next, context);
    case 'end':
      return endRun(run, next.because, context);
  }
}

/** Its model is rate-limited, and neither another model nor another tier is asked: then it is not even begun. */
function hasToWait(turn: Turn, context: WorkerContext): boolean {
  const { rateLimits, fallbackAfterMs } = context;
  const waitMs = rateLimits.waitMs(rateLimitOf(turn));
  return waitMs > 0 && !isLate(turn) && (waitMs <= fallbackAfterMs || nextModel(turn) === null);
}

/** While any model is rate-limited the turn is read first: one that has to wait is not begun. */
async function beginFirst(
  { turnId, step, generation, nextRun }: DueStep,
  { runId, context: { rateLimits, turnCache } }: { runId: string; context: WorkerContext },
): Promise<Turn | undefined> {
  if (nextRun || step !== FIRST_STEP || generation !== 0 || rateLimits.any()) return undefined;
  return turnCache.begin(turnId, runId);
}

/**
 * Takes the lease, unless the step may start without one (R3). Returns the run with the turn as it is then; null if another run has
 * the lease.
 */
async function leaseWhereNeeded(run: Run, next: NextStep, context: WorkerContext): Promise<Run | null> {
  const { turn, lease } = run;
  if (turn.work.uncontended && !hasOpenClaim(next) && !needsSlot(turn, next, context)) return run;
  const taken = await takeLease(context.db, turn, lease.id);
  if (!taken) return null;
  const leased = taken.inputs > turn.joined.length ? await loadJoined(turn, context) : turn;
  lease.take(taken.edition);
  return { ...run, turn: leased };
}

/** What has joined until the lease was taken is sent with this step, and not with the next one (R29). */
async function loadJoined(turn: Turn, { turnCache }: WorkerContext): Promise<Turn> {
  const seen = await turnCache.load(turn.id);
  const now = seen?.outlinedBytes ? (await turnCache.loadLarge(seen.id))?.turn : seen;
  if (!now) return turn;
  const { input, joined, begunWith, pendingInput } = now;
  return { ...turn, input, joined, begunWith, pendingInput };
}

/** A slot of a provider's limit belongs to a lease, so a round that needs one takes its lease before it asks. */
function needsSlot({ work, config }: Turn, { kind }: NextStep, { providerLimits }: WorkerContext): boolean {
  if (kind !== 'run-round' || providerLimits.all.length === 0) return false;
  const models = [work.model, ...(config.context?.model ? [config.context.model] : [])];
  return models.flatMap((model) => providerLimits.of(model)).some(({ concurrency }) => concurrency !== undefined);
}

/** A call that another run claimed and never answered: only the run with the lease decides on it (R8). */
function hasOpenClaim(next: NextStep): boolean {
  return next.kind === 'run-tool-batch' && next.calls.some((call) => call.claimedBy !== null);
}

/** A round keeps its place: places bound how much is asked of a provider at once. */
function mayLeave({ kind }: NextStep, leavePlace: LeavePlace | undefined): LeavePlace | undefined {
  return kind === 'run-tool-batch' ? leavePlace : undefined;
}

/** How long a step can take within all its own bounds; its lease is renewed no longer (R4). */
function limitOf(turn: Turn, next: Pick<NextStep, 'kind'>, context: WorkerContext): number {
  const { config } = turn;
  const SLACK_MS = 60_000;
  const LONGEST_BATCH_MS = 10 * 3_600_000;
  // An empty reply to tool results is asked once more.
  const ofRound = 2 * (config.tool_mode === 'emulated' ? 3 : 1);
  // A history that was refused as too long: two models may be asked for a summary, then the round is asked again.
  const requests = config.context ? 2 * ofRound + 2 : ofRound;
  return SLACK_MS + (next.kind === 'run-tool-batch' ? LONGEST_BATCH_MS : requests * timeoutOf(turn, context));
}

function timeoutOf(turn: Turn, { modelTimeoutMs, flexIdleTimeoutMs }: WorkerContext): number {
  const ofTier = askedTier(turn) === 'flex' ? Math.max(modelTimeoutMs, flexIdleTimeoutMs) : modelTimeoutMs;
  return turn.config.model_retry?.timeout_ms ?? ofTier;
}
