import type { AnswerSlot } from '#core/bounds/answer-slots.ts';
import { takeRateLimitSlot } from '#core/checkpoint/limits/rate-limit.ts';
import { claimCalls } from '#core/checkpoint/turns/claim-calls.ts';
import { retryTransient } from '#core/postgres/retry-transient.ts';
import { runCall } from '#core/tools/run/call.ts';
import { idempotencyKey } from '#core/turn/call.ts';
import { timing } from '#core/turn/timing.ts';
import { errorResult } from '#core/turn/tool-result.ts';
import type { ToolCall } from '#core/turn/turn.ts';
import { signWebhook } from '#core/webhooks/sign.ts';
import { toolSpanId } from '../../process/trace/span-ids.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { elapsedMs, type Stopwatch, startStopwatch } from '../lease/stopwatch.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import { type CallPlan, cacheKeyOf } from './plan-calls.ts';
import type { KnownResult } from './result-writer.ts';

export type PlannedCall = { call: ToolCall; plan: CallPlan; claimedAt: Stopwatch; slot: AnswerSlot };

/**
 * Answers a call by its plan. Returns null if the call did not run, or may safely run again. The next run of the step
 * runs the call then.
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
  message: 'The worker that made this call was lost. It is unknown whether the call took effect. It was not repeated.',
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
  using _started = publishStarted(run, planned, context);
  try {
    const { result, full, blobs } = await runCall(prepared(run, planned, context), {
      registry: context.tools,
      mcp: context.mcp,
      egress: context.egress,
      outputLimit: context.toolOutputLimit,
      toolSecrets: context.toolSecrets,
      redact: context.redact,
      signal: run.lease.signal,
      slot: planned.slot,
      progress: (value) => publishProgress(run, { call, value }, context),
      takeSlot: (slot) =>
        retryTransient(() => takeRateLimitSlot(context.db, { project: run.turn.project, tool: call.name, ...slot })),
      ...(await signerFor(run, planned, context)),
      beforeAttempt: async () => {
        run.lease.signal.throwIfAborted();
        if (onlyOnce) await makeSure(run, planned, context);
        reached = true;
      },
    });
    const ownKey = result.status === 'success' ? cacheKeyOf(run.turn, call, plan) : null;
    return { result, fullOutput: result.truncated ? full : null, cacheKey: ownKey, blobs };
  } catch (error) {
    const { signal } = run.lease;
    if (!signal.aborted && !(error instanceof ClaimLost)) throw error;
    return onlyOnce && reached && signal.reason === 'shutdown' ? leftOpen(run) : null;
  }
}

/**
 * Returns the result of a call that may not run twice and has no known outcome. Only the run with the lease may write
 * the result (R8).
 */
function leftOpen(run: Run): KnownResult {
  return { result: errorResult(LEFT_OPEN, { attempts: 1 }), fullOutput: null, leaseOwner: run.lease.id };
}

class ClaimLost extends Error {}

/**
 * Makes sure that the claim of a call is less than half a lease old by the local clock, or claims the call again.
 * With so fresh a claim, no other run can have given the call up (R7). Throws if the call belongs to another run.
 */
async function makeSure({ lease, turn }: Run, { call, claimedAt }: PlannedCall, context: WorkerContext): Promise<void> {
  const wanted = { turnId: turn.id, round: call.round, runId: lease.id, indexes: [call.index] };
  for (let sentAt = claimedAt; elapsedMs(sentAt) >= timing.leaseMs / 2; ) {
    sentAt = startStopwatch();
    const write = { verb: 'claimCalls', turnId: turn.id };
    const own = await writeCheckpoint(context, write, () => claimCalls(context.db, wanted));
    if (own.length === 0) throw new ClaimLost();
  }
}

function prepared({ turn }: Run, { call, plan }: PlannedCall & { plan: RunPlan }, context: WorkerContext) {
  const { tool, args } = plan;
  const { id: turnId } = turn;
  const project = context.projects.find(turn.project);
  const trace = context.tracer.headersWithin(turn, () => toolSpanId(turn, call));
  return { tool, args, turnId, project, trace, idempotencyKey: idempotencyKey(turnId, call) };
}

/**
 * Returns the signatures of requests to an HTTP tool, which can verify that Pawl sent them. Each attempt is signed
 * anew.
 */
async function signerFor({ turn }: Run, { call, plan }: PlannedCall & { plan: RunPlan }, { secretsOf }: WorkerContext) {
  if (plan.tool.execution?.kind !== 'http') return {};
  const secrets = await retryTransient(() => secretsOf(turn.project));
  const id = `${turn.id}-${call.round}-${call.id}`;
  const timestampSeconds = () => Math.floor(Date.now() / 1000);
  return { signHeaders: (body: string) => signWebhook({ secrets, id, timestampSeconds: timestampSeconds(), body }) };
}

/** Publishes the start of a call. Watchers that arrive while the call runs receive the event too. */
function publishStarted(
  { turn }: Run,
  { call, plan }: PlannedCall & { plan: RunPlan },
  { watchers }: WorkerContext,
): Disposable {
  const { round, id, name } = call;
  const event = { turn_id: turn.id, round, tool_call_id: id, name, status_text: plan.tool.status_text };
  const publish = () => watchers.publishLive({ type: 'tool_call.started', ...event });
  publish();
  return watchers.trackInFlight(turn.id, { catchUp: publish });
}

function publishProgress(
  { turn }: Run,
  { call, value }: { call: ToolCall; value: unknown },
  { watchers }: WorkerContext,
): void {
  const event = { turn_id: turn.id, round: call.round, tool_call_id: call.id, value };
  watchers.publishLive({ type: 'tool_call.progress', ...event });
}
