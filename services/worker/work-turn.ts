import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { refusalOf } from '#core/postgres/refusal.ts';
import { type NextStep, nextStep } from '#core/turn/next-step.ts';
import { nextModel } from '#core/turn/retry.ts';
import { FIRST_STEP } from '#core/turn/step.ts';
import { askedTier } from '#core/turn/tiers/asked-tier.ts';
import { isLate } from '#core/turn/tiers/change-tier.ts';
import type { Turn, TurnError } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import { runToolBatch } from './batch/run-batch.ts';
import type { LeavePlace } from './batch/slow-batches.ts';
import type { WorkerContext } from './context.ts';
import { endRun } from './end-run.ts';
import { newRunId, type Run, startRun } from './lease/run.ts';
import { dueWakeups, endAtDeadline, failTurn } from './lease/stop-run.ts';
import { openTurn } from './memory/open-turn.ts';
import { NO_SHARE } from './memory/shares.ts';
import { reportBegin } from './report/report-begin.ts';
import { rateLimitOf } from './round/rate-limit-of.ts';
import { postponeRound } from './round/retry-round.ts';
import { runRound } from './round/run-round.ts';

type TurnJob = { turnId: string; step: string; generation?: number };

/**
 * What every step has in common: it loads the turn, decides, takes a lease where another job could be on it, and does
 * the step. It returns the wakeups that are due then. A job may be lost, late or doubled:
 * - one that finds the turn leased writes nothing (R9);
 * - one that finds another step due enqueues that one (R11).
 *
 * A turn that has not begun is loaded and leased in one statement. A batch that lasts leaves its place, under its lease.
 */
export async function workTurn(job: TurnJob, context: WorkerContext, leavePlace?: LeavePlace): Promise<Wakeup[]> {
  const runId = newRunId();
  const begun = await beginFirst(job, { runId, context });
  using opened = begun ? { ...NO_SHARE, turn: begun, isShortened: false } : await openTurn(job, context);
  if (!opened) return [];
  const { turn } = opened;
  const next = nextStep(turn);
  if (next.kind === 'nothing' || next.kind === 'wait') return [];
  if (next.kind === 'end' && next.because === 'deadline') return endAtDeadline(turn, context);
  if (turn.work.step !== job.step) return [wakeupOf(turn)];
  if (turn.work.leased) return [];

  using run = startRun(runId, turn);
  run.isShortened = opened.isShortened;
  if (next.kind === 'run-round' && hasToWait(turn, context)) return postponeRound(run, { step: next }, context);
  if (begun) run.lead(begun.work.edition);
  const lease = begun ? 'own' : await leaseWhereNeeded(run, next, context);
  if (lease === 'refused') return dueWakeups(turn, context);
  if (turn.status === 'queued') context.watchers.publishContinued(turn.id);

  run.queueWaitMs = reportBegin(turn, context);

  using _tracked = context.heartbeat.track(run, {
    leased: lease === 'own',
    limitMs: limitOf(turn, next, context),
    leavePlace: mayLeave(next, leavePlace),
  });
  return await runStep(run, next, context);
}

type DueStep = Exclude<NextStep, { kind: 'nothing' | 'wait' }>;

/** Runs a step. If PostgreSQL refuses the values that the step came to, the turn ends. */
async function runStep(run: Run, next: DueStep, context: WorkerContext): Promise<Wakeup[]> {
  try {
    switch (next.kind) {
      case 'run-round':
        return await runRound(run, next, context);
      case 'run-tool-batch':
        return await runToolBatch(run, next, context);
      case 'end':
        return await endRun(run, next.because, context);
    }
  } catch (error) {
    if (refusalOf(error)?.kind !== 'data') throw error;
    return failTurn(run, unwritable(error), context);
  }
}

/** What a step came to cannot be stored: to do it again would cost as much, and come to the same. */
function unwritable(error: unknown): TurnError {
  const message =
    `PostgreSQL refused to store what this step came to (${refusalOf(error)?.code}), so the turn ended. ` +
    'Report this with the lines of the worker log.';
  return { type: 'internal_error', code: 'internal', message, retryable: true };
}

/** Its model is rate-limited, and neither another model nor another tier is asked: then it is not even begun. */
function hasToWait(turn: Turn, context: WorkerContext): boolean {
  const { rateLimits, fallbackAfterMs } = context;
  const waitMs = rateLimits.waitMs(rateLimitOf(turn));
  return waitMs > 0 && !isLate(turn) && (waitMs <= fallbackAfterMs || nextModel(turn) === null);
}

/** While any model is rate-limited the turn is read first: one that has to wait is not begun. */
async function beginFirst(
  { turnId, step, generation }: TurnJob,
  { runId, context: { rateLimits, turnCache } }: { runId: string; context: WorkerContext },
): Promise<Turn | undefined> {
  if (step !== FIRST_STEP || generation !== 0 || rateLimits.any()) return undefined;
  return turnCache.begin(turnId, runId);
}

/**
 * `none` where the step may start without a lease (R3); `refused` where another run has it. With a lease the run has an edition
 * of its own.
 */
async function leaseWhereNeeded(run: Run, next: NextStep, context: WorkerContext): Promise<'own' | 'none' | 'refused'> {
  if (run.turn.work.uncontended && !hasOpenClaim(next) && !needsSlot(run.turn, next, context)) return 'none';
  const taken = await takeLease(context.db, run.turn, run.id);
  if (!taken) return 'refused';
  if (taken.inputs > run.turn.joined.length) await loadJoined(run, context);
  run.lead(taken.edition);
  return 'own';
}

/** What has joined until the lease was taken is sent with this step, and not with the next one (R29). */
async function loadJoined(run: Run, { turnCache }: WorkerContext): Promise<void> {
  const seen = await turnCache.load(run.turn.id);
  const now = seen?.outlinedBytes ? (await turnCache.loadLarge(seen.id))?.turn : seen;
  if (!now) return;
  const { input, joined, begunWith, pendingInput } = now;
  run.turn = { ...run.turn, input, joined, begunWith, pendingInput };
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
