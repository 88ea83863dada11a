import { claimCalls } from '#core/checkpoint/claim-calls.ts';
import { persist } from '#core/checkpoint/persist.ts';
import { takeSlot } from '#core/checkpoint/take-slot.ts';
import { runCall } from '#core/tools/run-call.ts';
import { idempotencyKey } from '#core/turn/idempotency-key.ts';
import { timing } from '#core/turn/timing.ts';
import { errorResult } from '#core/turn/tool-result.ts';
import type { ToolCall } from '#core/turn/turn.ts';
import { signWebhook } from '#core/webhook/sign.ts';
import type { WorkerContext } from '../context.ts';
import { elapsedMs, type Moment, momentNow } from '../moment.ts';
import type { CallPlan } from '../plan-call.ts';
import type { KnownResult } from '../result-box.ts';
import { cacheKeyOf } from '../reuse-results.ts';
import type { Run } from '../run.ts';

export type PlannedCall = { call: ToolCall; plan: CallPlan; claimedAt: Moment };

/**
 * Brings one call to its answer. Null where it never ran, or where it does no harm to run it again: whoever comes next
 * does.
 */
export async function answerCall(run: Run, planned: PlannedCall, context: WorkerContext): Promise<KnownResult | null> {
  const { plan } = planned;
  switch (plan.kind) {
    case 'refuse':
      return { result: errorResult(plan.error), fullOutput: null };
    case 'reuse':
      return { result: { ...plan.result, cached: true, duration_ms: 0, attempts: 0 }, fullOutput: plan.fullOutput };
    case 'give-up':
      return leftOpen(run);
    case 'run':
      return execute(run, { ...planned, plan }, context);
  }
}

const LEFT_OPEN = {
  category: 'outcome_unknown' as const,
  message: 'The worker that made this call was lost; whether it took effect is not known. It was not made again.',
  details: {},
};

type RunPlan = Extract<CallPlan, { kind: 'run' }>;

async function execute(
  run: Run,
  planned: PlannedCall & { plan: RunPlan },
  context: WorkerContext,
): Promise<KnownResult | null> {
  const { call, plan } = planned;
  const onlyOnce = plan.tool.effect === 'at_most_once';
  let reached = false;
  using _started = tellStarted(run, planned, context);
  try {
    const { result, full } = await runCall(prepared(run, planned), {
      registry: context.tools,
      mcp: context.mcp,
      gate: context.gate,
      outputLimit: context.toolOutputLimit,
      toolSecrets: context.toolSecrets,
      redact: context.redact,
      signal: run.signal,
      progress: (value) => tellProgress(run, { call, value }, context),
      takeSlot: (slot) => persist(() => takeSlot(context.db, { project: run.turn.project, tool: call.name, ...slot })),
      ...(await signerFor(run, planned, context)),
      beforeAttempt: async () => {
        run.signal.throwIfAborted();
        if (onlyOnce) await makeSure(run, planned, context);
        reached = true;
        if (onlyOnce) run.called.add(call.index);
      },
    });
    const mayServe = result.status === 'success' ? cacheKeyOf(run.turn, call, plan) : null;
    return { result, fullOutput: result.truncated ? full : null, cacheKey: mayServe };
  } catch (error) {
    if (!run.signal.aborted && !(error instanceof ClaimLost)) throw error;
    return onlyOnce && reached && run.signal.reason === 'shutdown' ? leftOpen(run) : null;
  }
}

/** A call that may not run twice and whose end nobody knows: said so only by whoever has the turn (R8). */
function leftOpen(run: Run): KnownResult {
  return { result: errorResult(LEFT_OPEN, { attempts: 1 }), fullOutput: null, heldBy: run.id };
}

class ClaimLost extends Error {}

/**
 * A run that slept since its claim may no longer call: it makes sure by the local clock, and again after each new claim,
 * until so little time has passed that nobody can have judged it (R7).
 */
async function makeSure({ id, turn }: Run, { call, claimedAt }: PlannedCall, { db }: WorkerContext): Promise<void> {
  const wanted = { turnId: turn.id, round: call.round, runId: id, indexes: [call.index] };
  for (let sentAt = claimedAt; elapsedMs(sentAt) >= timing.leaseMs / 2; ) {
    sentAt = momentNow();
    const own = await persist(() => claimCalls(db, wanted));
    if (own.length === 0) throw new ClaimLost();
  }
}

function prepared({ turn }: Run, { call, plan }: PlannedCall & { plan: RunPlan }) {
  const { tool, args } = plan;
  const { id: turnId, project } = turn;
  return { tool, args, turnId, project, idempotencyKey: idempotencyKey(turnId, call) };
}

/** An HTTP tool can tell by the signature that the call is ours; each try is signed anew. */
async function signerFor({ turn }: Run, { call, plan }: PlannedCall & { plan: RunPlan }, { secretsOf }: WorkerContext) {
  if (plan.tool.execution?.kind !== 'http') return {};
  const secrets = await persist(() => secretsOf(turn.project));
  const id = `${turn.id}-${call.round}-${call.id}`;
  const timestampSeconds = () => Math.floor(Date.now() / 1000);
  return { signHeaders: (body: string) => signWebhook({ secrets, id, timestampSeconds: timestampSeconds(), body }) };
}

/** Whoever comes while the call runs is told too. */
function tellStarted(
  { turn }: Run,
  { call, plan }: PlannedCall & { plan: RunPlan },
  { audience }: WorkerContext,
): Disposable {
  const { round, id, name } = call;
  const event = { turn_id: turn.id, round, tool_call_id: id, name, status_text: plan.tool.status_text };
  const tell = () => audience.live({ type: 'tool_call.started', ...event });
  tell();
  return audience.add(turn.id, { catchUp: tell });
}

function tellProgress(
  { turn }: Run,
  { call, value }: { call: ToolCall; value: unknown },
  { audience }: WorkerContext,
): void {
  const event = { turn_id: turn.id, round: call.round, tool_call_id: call.id, value };
  audience.live({ type: 'tool_call.progress', ...event });
}
