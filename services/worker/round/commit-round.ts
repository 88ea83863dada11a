import type { NewCall } from '#core/checkpoint/sql/new-calls.ts';
import { endWithRound } from '#core/checkpoint/turns/end.ts';
import { saveRound, saveUnfitAnswer } from '#core/checkpoint/turns/save-round.ts';
import { cleanText } from '#core/text.ts';
import { checkOutput } from '#core/tools/arguments/check-output.ts';
import { timeBudgetOf } from '#core/tools/arguments/time-budget.ts';
import { assignCallIds, isHandOver } from '#core/turn/call.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { type Outcome, outcomeOf } from '#core/turn/outcome.ts';
import { needsRepair, unfitError } from '#core/turn/output/output-schema.ts';
import type { Violation } from '#core/turn/output/violation.ts';
import { predictAfterRound, predictAfterUnfit, type SavedRound, type UnfitRound } from '#core/turn/predict.ts';
import { loopingCall } from '#core/turn/reached-limit.ts';
import type { Reply } from '#core/turn/reply.ts';
import { HANDED_OVER } from '#core/turn/tool-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { addWaits, NO_WAIT } from '../batch/plan-calls.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups } from '../lease/stop-run.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import { pricedUsage } from './priced-usage.ts';

type Replied = { step: RoundStep; reply: Reply; startedAt: number };

/** Checkpoints a reply: with the calls it requests, as the answer that ends the turn, or with calls that end it too (R19). */
export async function commitRound(run: Run, replied: Replied, context: WorkerContext): Promise<Wakeup[]> {
  const { turn } = run;
  const { step, startedAt } = replied;
  const usage = pricedUsage(replied.reply.usage, turn.work.model, context);
  const reply = { ...cleaned(replied.reply), usage };
  const attempts = turn.work.attempts + turn.work.starts + 1;
  const outcome = outcomeOf(reply, step.final, needsRepair(turn));
  const loop = step.final && loopingCall(turn);
  const own = [...(reply.warnings ?? []), ...(isUncounted(reply, turn) ? [UNCOUNTED] : [])];
  const known = [...turn.warnings, ...own, ...(loop ? [`${loop.name} was called in a loop`] : [])];
  const warnings = [...new Set(known)];
  const round = {
    number: step.round,
    model: turn.work.model,
    reply,
    attempts,
    edition: run.edition,
    startedAt,
    warnings,
    calls: outcome.kind === 'calls' ? await newCalls(turn, step.round, reply) : [],
  };
  const committed = endingOf(turn, outcome, round);
  const wakeups = await save(turn, { ...round, outcome: committed }, context);
  if (!wakeups) {
    context.log.info(
      { event: 'round.dropped', turn_id: turn.id, round: step.round },
      'late reply dropped: the round was already there, or the turn had ended',
    );
    return dueWakeups(turn, context);
  }

  reportCommitted(turn, replied, { outcome: committed, wakeups, context });
  return wakeups;
}

/** What the reply cost is to be bounded, and not known. */
function isUncounted({ usage }: Reply, { config }: Turn): boolean {
  return config.limits.max_cost_usd !== null && typeof usage?.cost_usd !== 'number';
}

const UNCOUNTED = 'What a round cost is not known, so max_cost_usd does not count it';

type RepliedRound = Omit<SavedRound, 'calls' | 'violations'> & { calls: NewCall[] };
type Committed =
  | Outcome
  | { kind: 'hand-over'; output: string }
  | { kind: 'repair'; violations: Violation[] }
  | { kind: 'failed'; output: string; violations: Violation[] };
type Ending = Exclude<Committed, { kind: 'calls' | 'repair' }>;

/**
 * A reply that only asks for calls which are answered in a later turn ends this one (contract-responses R31). An answer that
 * breaks the output schema is repaired once, and fails the turn after that (R25).
 */
function endingOf(turn: Turn, outcome: Outcome, { calls, reply }: RepliedRound): Committed {
  if (outcome.kind === 'calls') {
    const isOver = calls.every(({ result }) => result?.status === 'handed_over');
    return isOver ? { kind: 'hand-over', output: reply.text ?? '' } : outcome;
  }
  const { output_schema: wanted } = turn.config;
  if (outcome.kind !== 'completed' || !wanted) return outcome;
  const violations = checkOutput(outcome.output, wanted.schema, timeBudgetOf(turn.project));
  if (violations.length === 0) return outcome;
  if (!needsRepair(turn)) return { kind: 'repair', violations };
  return { kind: 'failed', output: outcome.output, violations };
}

function save(
  turn: Turn,
  { outcome, ...round }: RepliedRound & { outcome: Committed },
  context: WorkerContext,
): Promise<Wakeup[] | null> {
  switch (outcome.kind) {
    case 'calls':
      return saveCalls(turn, round, context);
    case 'repair':
      return saveUnfit(turn, { ...round, violations: outcome.violations }, context);
    case 'completed':
    case 'incomplete':
    case 'hand-over':
    case 'failed':
      return saveAnswer(turn, { ...round, outcome }, context);
  }
}

async function saveCalls(turn: Turn, round: RepliedRound, context: WorkerContext): Promise<Wakeup[] | null> {
  const saved = { ...round, turnId: turn.id, webhook: turn.config.webhook };
  const write = { verb: 'saveRound', turnId: turn.id };
  const wakeups = await writeCheckpoint(context, write, () => saveRound(context.db, saved));
  if (wakeups) context.turnCache.keep(predictAfterRound(turn, round));
  return wakeups;
}

async function saveUnfit(turn: Turn, round: UnfitRound, context: WorkerContext): Promise<Wakeup[] | null> {
  const saved = { ...round, turnId: turn.id, webhook: turn.config.webhook };
  const write = { verb: 'saveUnfitAnswer', turnId: turn.id };
  const wakeups = await writeCheckpoint(context, write, () => saveUnfitAnswer(context.db, saved));
  if (wakeups) context.turnCache.keep(predictAfterUnfit(turn, round));
  return wakeups;
}

async function newCalls(turn: Turn, number: number, reply: Reply): Promise<NewCall[]> {
  const { tools, response } = turn.config;
  const effectOf = new Map(tools.map((tool) => [tool.name, tool.effect]));
  const requested = await addWaits(turn, number, assignCallIds(reply.calls, turn));
  return requested.map((call) => {
    const isAsked = call.waitsFor === 'approval' && Boolean(response);
    return {
      ...call,
      ...(isAsked && NO_WAIT),
      effect: effectOf.get(call.name) ?? 'none',
      result: isAsked || isHandOver(tools, call.name) ? HANDED_OVER : null,
    };
  });
}

async function saveAnswer(
  turn: Turn,
  { outcome, ...round }: RepliedRound & { outcome: Ending },
  context: WorkerContext,
): Promise<Wakeup[] | null> {
  const violations = outcome.kind === 'failed' ? outcome.violations : null;
  const ending = {
    turnId: turn.id,
    conversationId: turn.conversationId,
    status: statusOf(outcome),
    output: outcome.output,
    step: turn.work.step,
    warnings: round.warnings,
    lastRound: { ...round, ...(violations && { violations }) },
    isTurnOnly: turn.config.response?.background !== true,
    ...(outcome.kind === 'incomplete' ? { incompleteReason: outcome.reason } : {}),
    ...(violations ? { error: unfitError(violations) } : {}),
  };
  const write = { verb: 'endWithRound', turnId: turn.id };
  return writeCheckpoint(context, write, () => endWithRound(context.db, ending));
}

function statusOf({ kind }: Ending): 'completed' | 'incomplete' | 'failed' {
  return kind === 'hand-over' ? 'completed' : kind;
}

function cleaned(reply: Reply): Reply {
  return {
    ...reply,
    text: reply.text === null ? null : cleanText(reply.text),
    reasoning: reply.reasoning ? cleanText(reply.reasoning) : null,
    finishReasonRaw: reply.finishReasonRaw === null ? null : cleanText(reply.finishReasonRaw),
    calls: reply.calls.map((call) => ({ ...call, name: cleanText(call.name), arguments: cleanText(call.arguments) })),
  };
}

function reportCommitted(
  turn: Turn,
  { step, reply, startedAt }: Replied,
  about: { outcome: Committed; wakeups: Wakeup[]; context: WorkerContext },
): void {
  const { outcome, wakeups, context } = about;
  context.watchers.publishChange(turn.id, wakeups);
  const log = context.log.child({ turn_id: turn.id, round: step.round, duration_ms: Date.now() - startedAt });
  if (outcome.kind === 'calls') {
    const count = reply.calls.length;
    log.info({ event: 'round.replied' }, `round ${step.round} replied: ${count} tool${count === 1 ? '' : 's'} wanted`);
    return;
  }
  if (outcome.kind === 'repair') {
    log.info({ event: 'round.unfit' }, `round ${step.round} does not fit the output schema: it is repaired`);
    return;
  }
  const status = statusOf(outcome);
  const rounds = `${step.round} round${step.round === 1 ? '' : 's'}`;
  log.info({ event: 'turn.ended', status }, `turn finished after ${rounds}: ${status}`);
}
