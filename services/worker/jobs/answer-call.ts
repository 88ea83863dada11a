import { claimCalls } from '#core/checkpoint/claim-calls.ts';
import type { Db } from '#core/checkpoint/database.ts';
import { lockTurn } from '#core/checkpoint/lock-turn.ts';
import { persist } from '#core/checkpoint/persist.ts';
import { type NewResult, type Saved, saveResult } from '#core/checkpoint/save-result.ts';
import { type CallOutcome, runCall } from '#core/tools/run-call.ts';
import { timing } from '#core/turn/timing.ts';
import { errorResult } from '#core/turn/tool-result.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import { signWebhook } from '#core/webhook/sign.ts';
import type { WorkerContext } from '../context.ts';
import type { CallPlan } from '../plan-call.ts';
import type { Run } from '../run.ts';

export type PlannedCall = { call: ToolCall; plan: CallPlan; claimedAt: number };

const NOTHING: Saved = { written: false, rings: [] };

/** Brings one call to its answer and saves it; the first answer stands (R5). */
export async function answerCall(run: Run, planned: PlannedCall, context: WorkerContext): Promise<Saved> {
  const { call, plan } = planned;
  switch (plan.kind) {
    case 'refuse':
      return save(run, { call, result: errorResult(plan.error) }, context);
    case 'give-up':
      return save(run, { call, result: errorResult(LEFT_OPEN), heldBy: run.id }, context);
    case 'run': {
      const outcome = await execute(run, { ...planned, plan }, context);
      return outcome
        ? save(run, { call, result: outcome.result, fullOutput: outcome.full, ...outcome.guard }, context)
        : NOTHING;
    }
  }
}

const LEFT_OPEN = {
  category: 'outcome_unknown' as const,
  message: 'The worker that made this call was lost; whether it took effect is not known. It was not made again.',
  details: {},
};

type RunPlan = Extract<CallPlan, { kind: 'run' }>;
type Executed = CallOutcome & { guard: { heldBy?: string } };

/** Runs the call. Null where it never ran, or where it does no harm to run it again: whoever comes next does. */
async function execute(
  run: Run,
  planned: PlannedCall & { plan: RunPlan },
  context: WorkerContext,
): Promise<Executed | null> {
  const { call, plan } = planned;
  const onlyOnce = plan.tool.effect === 'at_most_once';
  let reached = false;
  tellStarted(run, planned, context);
  try {
    const outcome = await runCall(prepared(run, planned), {
      registry: context.tools,
      gate: context.gate,
      outputLimit: context.toolOutputLimit,
      signal: run.signal,
      progress: (value) => tellProgress(run, { call, value }, context),
      ...(await signerFor(run, planned, context)),
      beforeAttempt: async () => {
        run.signal.throwIfAborted();
        if (onlyOnce) await makeSure(run, planned, context);
        reached = true;
      },
    });
    return { ...outcome, guard: {} };
  } catch (error) {
    if (!run.signal.aborted && !(error instanceof ClaimLost)) throw error;
    return onlyOnce && reached && run.signal.reason === 'shutdown' ? abandoned(run) : null;
  }
}

/** We stop in the middle of a call that may not run twice: said so while we still hold the turn (R8). */
function abandoned(run: Run): Executed {
  return { result: errorResult(LEFT_OPEN), full: null, guard: { heldBy: run.id } };
}

class ClaimLost extends Error {}

/** A run that slept since its claim may no longer call: it makes sure, by the local clock first (R7). */
async function makeSure({ id, turn }: Run, { call, claimedAt }: PlannedCall, { db }: WorkerContext): Promise<void> {
  if (performance.now() - claimedAt < timing.leaseMs / 2) return;
  const own = await claimCalls(db, { turnId: turn.id, round: call.round, runId: id, indexes: [call.index] });
  if (own.length === 0) throw new ClaimLost();
}

function prepared({ turn }: Run, { call, plan }: PlannedCall & { plan: RunPlan }) {
  return { tool: plan.tool, args: plan.args, turnId: turn.id, idempotencyKey: `${turn.id}.${call.round}.${call.id}` };
}

/** An HTTP tool can tell by the signature that the call is ours; each try is signed anew. */
async function signerFor({ turn }: Run, { call, plan }: PlannedCall & { plan: RunPlan }, { secretsOf }: WorkerContext) {
  if (plan.tool.execution?.kind !== 'http') return {};
  const secrets = await secretsOf(turn.project);
  const id = `${turn.id}-${call.round}-${call.id}`;
  const timestampSeconds = () => Math.floor(Date.now() / 1000);
  return { signHeaders: (body: string) => signWebhook({ secrets, id, timestampSeconds: timestampSeconds(), body }) };
}

async function save(
  { turn }: Run,
  { call, ...answer }: { call: ToolCall } & Pick<NewResult, 'result' | 'fullOutput' | 'heldBy'>,
  { db, live, log }: WorkerContext,
): Promise<Saved> {
  const address = { turnId: turn.id, round: call.round, index: call.index };
  const saved = await persist(() => saveSeeing(db, turn, { ...address, ...answer }));
  const about = { turn_id: turn.id, round: call.round, duration_ms: answer.result.duration_ms };
  if (!saved.written) {
    log.info({ ...about, late_result: true }, `late tool result dropped: ${call.name}`);
    return saved;
  }
  log.info(about, `tool result ready: ${answer.result.error?.category ?? 'ok'} ${call.name}`);
  live.tellWatchers({ kind: 'wake', turnId: turn.id });
  return saved;
}

/** Where calls wait for somebody outside, a save has to see their answers: it waits for them under the row lock. */
function saveSeeing(db: Db, turn: Turn, result: NewResult): Promise<Saved> {
  const isAlone = turn.rounds.at(-1)?.calls.every((call) => call.waitsFor === null);
  if (isAlone) return saveResult(db, result);
  return db.transaction().execute(async (trx) => {
    await lockTurn(trx, turn.id);
    return saveResult(trx, result);
  });
}

function tellStarted({ turn }: Run, { call, plan }: PlannedCall & { plan: RunPlan }, { live }: WorkerContext): void {
  const { round, id, name } = call;
  const event = { turn_id: turn.id, round, tool_call_id: id, name, status_text: plan.tool.status_text };
  live.tellWatchers({ kind: 'event', turnId: turn.id, event: { type: 'tool_call.started', ...event } });
}

function tellProgress(
  { turn }: Run,
  { call, value }: { call: ToolCall; value: unknown },
  { live }: WorkerContext,
): void {
  const event = { turn_id: turn.id, round: call.round, tool_call_id: call.id, value };
  live.tellWatchers({ kind: 'event', turnId: turn.id, event: { type: 'tool_call.progress', ...event } });
}
