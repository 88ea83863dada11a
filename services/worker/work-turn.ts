import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { isPolling } from '#core/turn/background/background.ts';
import { type NextStep, nextStep } from '#core/turn/next-step.ts';
import { beforeLease } from '#core/turn/predict.ts';
import { nextModel } from '#core/turn/retry.ts';
import { FIRST_STEP } from '#core/turn/step.ts';
import { askedTier, isLate } from '#core/turn/tiers/change-tier.ts';
import type { Turn } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import { runToolBatch } from './batch/run-batch.ts';
import type { LeaveSlot } from './batch/slow-batches.ts';
import type { WorkerContext } from './context.ts';
import { endRun } from './end-run.ts';
import { newRunId, openLease, type Run, startRun } from './lease/run.ts';
import { dueWakeups, endAtDeadline, endIfUnwritable } from './lease/stop-run.ts';
import { type Stopwatch, startStopwatch } from './lease/stopwatch.ts';
import { type OpenedTurn, openTurn } from './memory/open-turn.ts';
import { NO_SHARE } from './memory/shares.ts';
import { rateLimitOf } from './rate-limits.ts';
import { isInBackground } from './round/background/with-responses.ts';
import { postponeRound } from './round/retry-round.ts';
import { runRound } from './round/run-round.ts';

/** A step that is due. `nextRun` is the run to which a commit of this worker has given the lease of the step. */
export type DueStep = { turnId: string; step: string; generation?: number; nextRun?: string };

/** The options of a job's slot: its run may leave the slot, or continue in the slot. */
export type WorkerSlot = { leaveSlot?: LeaveSlot; mayContinue?: (queue: string) => boolean };

/**
 * Runs one step of a turn: loads the turn, decides, takes a lease if another job could be on the turn, and runs the
 * step. Returns the wakeups that are due then. A job may be lost, late or duplicated:
 * - A job that finds the turn leased does not write (R9).
 * - A job that finds another step due enqueues that step (R11).
 *
 * A turn that has not begun is loaded and leased in one statement. A long batch leaves its slot, and keeps its lease.
 */
export async function workTurn(job: DueStep, context: WorkerContext, slot: WorkerSlot = {}): Promise<Wakeup[]> {
  const runId = job.nextRun ?? newRunId();
  using opened = await openStep(job, { runId, context });
  if (!opened) return [];
  const { turn, isShortened, hasLease, leasedAt } = opened;
  const next = nextStep(turn);
  if (next.kind === 'nothing' || next.kind === 'wait') return [];
  if (next.kind === 'end' && next.because === 'deadline') return endAtDeadline(turn, context);
  if (turn.work.step !== job.step) return [wakeupOf(turn)];
  if (turn.work.leased) return [];

  using lease = openLease(runId, turn);
  if (hasLease) lease.take(turn.work.draft);
  const loaded = startRun(lease, { turn, isShortened, mayContinue: slot.mayContinue ?? never });
  if (next.kind === 'run-round' && hasToWait(turn, context)) return postponeRound(loaded, { step: next }, context);
  const leased = hasLease ? loaded : await leaseWhereNeeded(loaded, next, context);
  if (!leased) return dueWakeups(loaded, context);
  if (turn.status === 'queued') context.watchers.publishContinued(turn.id);

  const run = { ...leased, queueWaitMs: reportBegin(turn, context) };
  using _tracked = context.heartbeat.track(lease, {
    limitMs: limitOf(turn, next, context),
    leaveSlot: mayLeave(next, slot.leaveSlot),
    leasedAt,
  });
  return await endIfUnwritable(run, () => runStep(run, next, context), context);
}

const never = () => false;

/**
 * A turn that was opened for a step. `hasLease`: the run has the lease already, by this opening or by the commit
 * before. The turn then has the state before the lease, as for a run that takes the lease later. `leasedAt`: a time
 * before the run takes its lease, or null for a lease by the commit before.
 */
type OpenedStep = OpenedTurn & { hasLease: boolean; leasedAt: Stopwatch | null };

async function openStep(
  job: DueStep,
  { runId, context }: { runId: string; context: WorkerContext },
): Promise<OpenedStep | null> {
  const leasedAt = job.nextRun ? null : startStopwatch();
  const begun = await beginFirst(job, { runId, context });
  if (begun) return { ...NO_SHARE, turn: begun, isShortened: false, hasLease: true, leasedAt };
  const opened = await openTurn(job, context);
  if (!opened) return null;
  const { work } = opened.turn;
  const hasLease = work.leased && work.leaseOwner === runId;
  return hasLease
    ? { ...opened, turn: { ...opened.turn, work: beforeLease(work) }, hasLease, leasedAt }
    : { ...opened, hasLease, leasedAt };
}

/**
 * Reports that a run has begun the waiting step of a turn. Returns the wait in milliseconds. A poll continues a round
 * that has begun.
 */
function reportBegin({ project, work }: Turn, { metrics }: WorkerContext): number {
  if (isPolling(work)) return 0;
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

/**
 * Returns whether a turn has to wait: its model is rate-limited, and the turn asks no other model or tier instead.
 * Then it does not even begin. A response that the round waits for needs no request.
 */
function hasToWait(turn: Turn, context: WorkerContext): boolean {
  const { rateLimits, fallbackAfterMs } = context;
  const waitMs = rateLimits.waitMs(rateLimitOf(turn));
  return (
    !turn.work.background && waitMs > 0 && !isLate(turn) && (waitMs <= fallbackAfterMs || nextModel(turn) === null)
  );
}

/**
 * Begins a turn at its first step. While any model is rate-limited, the turn is read first, since a turn that has to
 * wait does not begin.
 */
async function beginFirst(
  { turnId, step, generation, nextRun }: DueStep,
  { runId, context: { rateLimits, turnCache } }: { runId: string; context: WorkerContext },
): Promise<Turn | undefined> {
  if (nextRun || step !== FIRST_STEP || generation !== 0 || rateLimits.any()) return undefined;
  return turnCache.begin(turnId, runId);
}

/**
 * Takes the lease, unless the step may start without a lease (R3). Returns the run with the current turn, or null if
 * another run has the lease.
 */
async function leaseWhereNeeded(run: Run, next: NextStep, context: WorkerContext): Promise<Run | null> {
  const { turn, lease } = run;
  const needsLease = hasOpenClaim(next) || needsSlot(turn, next, context) || followsResponses(turn, next, context);
  if (turn.work.uncontended && !needsLease) return run;
  const taken = await takeLease(context.db, turn, lease.id);
  if (!taken) return null;
  const leased = taken.inputs > turn.joined.length ? await loadJoined(turn, context) : turn;
  lease.take(taken.draft);
  const { background } = taken;
  return { ...run, turn: { ...leased, work: { ...leased.work, background } } };
}

/** Loads inputs that joined before the lease was taken, so that this step sends them and not a later step (R29). */
async function loadJoined(turn: Turn, { turnCache }: WorkerContext): Promise<Turn> {
  const seen = await turnCache.load(turn.id);
  const now = seen?.outlinedBytes ? (await turnCache.loadLarge(seen.id))?.turn : seen;
  if (!now) return turn;
  const { input, joined, inputsAtStart, pendingInput } = now;
  return { ...turn, input, joined, inputsAtStart, pendingInput };
}

/**
 * Returns whether a round needs a slot of a provider's limit. A slot belongs to a lease, so such a round takes its
 * lease first.
 */
function needsSlot({ work, config }: Turn, { kind }: NextStep, { providerLimits }: WorkerContext): boolean {
  if (kind !== 'run-round' || providerLimits.all.length === 0) return false;
  const models = [work.model, ...(config.context?.model ? [config.context.model] : [])];
  return models.flatMap((model) => providerLimits.of(model)).some(({ concurrency }) => concurrency !== undefined);
}

/** Returns whether a round is asked in the background. Such a round takes its lease first (R40). */
function followsResponses(turn: Turn, { kind }: Pick<NextStep, 'kind'>, { providers }: WorkerContext): boolean {
  return kind === 'run-round' && isInBackground(turn, providers);
}

/**
 * Returns whether another run has claimed a call without an answer. Only the run with the lease decides on such a
 * call (R8).
 */
function hasOpenClaim(next: NextStep): boolean {
  return next.kind === 'run-tool-batch' && next.calls.some((call) => call.claimedBy !== null);
}

/**
 * Returns the way for a batch to leave its slot. A round keeps its slot, since slots bound the requests to a
 * provider.
 */
function mayLeave({ kind }: NextStep, leaveSlot: LeaveSlot | undefined): LeaveSlot | undefined {
  return kind === 'run-tool-batch' ? leaveSlot : undefined;
}

/** Returns the longest time that a step can take within its own bounds. Its lease is not renewed after that (R4). */
function limitOf(turn: Turn, next: Pick<NextStep, 'kind'>, context: WorkerContext): number {
  const { config } = turn;
  const SLACK_MS = 60_000;
  const LONGEST_BATCH_MS = 10 * 3_600_000;
  const ofResponses = followsResponses(turn, next, context) ? context.backgroundTimes.timeoutMs : 0;
  // After an empty reply to tool results, the worker asks once more.
  const ofRound = 2 * (config.tool_mode === 'emulated' ? 3 : 1);
  // If the history is refused as too long, two models may be asked for a summary, and then the round is repeated.
  const requests = config.context ? 2 * ofRound + 2 : ofRound;
  return (
    SLACK_MS + (next.kind === 'run-tool-batch' ? LONGEST_BATCH_MS : requests * timeoutOf(turn, context) + ofResponses)
  );
}

function timeoutOf(turn: Turn, { modelTimeoutMs, flexIdleTimeoutMs }: WorkerContext): number {
  const ofTier = askedTier(turn) === 'flex' ? Math.max(modelTimeoutMs, flexIdleTimeoutMs) : modelTimeoutMs;
  return turn.config.model_retry?.timeout_ms ?? ofTier;
}
