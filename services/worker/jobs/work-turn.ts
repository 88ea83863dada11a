import { takeHold } from '#core/checkpoint/take-hold.ts';
import { nextStep, type Step } from '#core/turn/next-step.ts';
import type { Ring } from '#core/turn/ring.ts';
import { ringOf } from '#core/turn/ring-of.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import { newRunId, startRun } from '../run.ts';
import { endAtDeadline } from './end-at-deadline.ts';
import { failTurn } from './fail-turn.ts';
import { stayAway } from './miss-round.ts';
import { runRound } from './run-round.ts';
import { runToolBatch } from './run-tool-batch.ts';
import { whatIsOwed } from './what-is-owed.ts';

type TurnJob = { turnId: string; step: string; ring?: number };

/**
 * The frame of every step: load the turn, decide, hold it where another job could be about, do what is owed, and
 * answer what is owed then. Any job may be lost, late or doubled; whoever finds the turn held leaves without a trace
 * (R9), and whoever finds another step owed rings that one (R11). A turn that nobody has begun is loaded and held at once.
 */
export async function workTurn(job: TurnJob, context: WorkerContext): Promise<Ring[]> {
  const runId = newRunId();
  const begun = await beginFirst(job, { runId, context });
  const turn = begun ?? (await context.turns.load(job.turnId, job));
  if (!turn) return [];

  const next = nextStep(turn);
  if (next.kind === 'nothing' || next.kind === 'wait') return [];
  if (next.kind === 'end' && next.because === 'deadline') return endAtDeadline(turn, context);
  if (turn.work.step !== job.step) return [ringOf(turn)];
  if (turn.work.held) return [];

  using run = startRun(runId, turn);
  if (next.kind === 'run-round' && !context.limits.mayAsk(turn.config.model)) return stayAway(run, next, context);
  const hold = begun ? 'own' : await holdWhereNeeded(turn, next, { runId, context });
  if (hold === 'refused') return whatIsOwed(turn, context);
  if (turn.status === 'queued') context.audience.goesOn(turn.id);

  using _vouched = context.heartbeat.vouchFor(run, { held: hold === 'own', limitMs: limitOf(turn, next, context) });
  switch (next.kind) {
    case 'run-round':
      return await runRound(run, next, context);
    case 'run-tool-batch':
      return await runToolBatch(run, next, context);
    case 'end':
      return await failTurn(run, POISON, context);
  }
}

/** While any model is rate-limited the turn is read first: one that has to wait is not begun. */
async function beginFirst(
  { turnId, step, ring }: TurnJob,
  { runId, context: { limits, turns } }: { runId: string; context: WorkerContext },
): Promise<Turn | undefined> {
  if (step !== 'r1' || ring !== 0 || limits.any()) return undefined;
  return turns.begin(turnId, runId);
}

/** `none` where the step may start without a hold (R3); `refused` where somebody else has it. */
async function holdWhereNeeded(
  turn: Turn,
  next: Step,
  { runId, context }: { runId: string; context: WorkerContext },
): Promise<'own' | 'none' | 'refused'> {
  if (turn.work.quiet && !hasOpenClaim(next)) return 'none';
  return (await takeHold(context.db, turn, runId)) ? 'own' : 'refused';
}

/** A call that another run claimed and never answered: it can only be judged by whoever holds the turn (R8). */
function hasOpenClaim(next: Step): boolean {
  return next.kind === 'run-tool-batch' && next.calls.some((call) => call.claimedBy !== null);
}

/** How long a step can take with all its own bounds; no heartbeat vouches for it longer (R4). */
function limitOf({ config }: Turn, next: Pick<Step, 'kind'>, { modelTimeoutMs }: WorkerContext): number {
  const SLACK_MS = 60_000;
  const LONGEST_BATCH_MS = 10 * 3_600_000;
  const requests = config.tool_mode === 'emulated' ? 3 : 1;
  return SLACK_MS + (next.kind === 'run-tool-batch' ? LONGEST_BATCH_MS : requests * modelTimeoutMs);
}

const POISON = {
  type: 'internal_error' as const,
  code: 'poison_turn',
  message:
    'Every worker that took this step ended without a word. Look into the worker logs before you retry the turn.',
  retryable: true,
};
