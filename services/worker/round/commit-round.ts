import type { NewCall } from '#core/checkpoint/sql/rounds/new-calls.ts';
import { standsOnOf } from '#core/checkpoint/sql/rounds/stands-on.ts';
import { endWithRound } from '#core/checkpoint/turns/end.ts';
import { saveAnsweredRound } from '#core/checkpoint/turns/reruns/save-answered-round.ts';
import { type Saved, saveRound, saveSurpassedAnswer, saveUnfitAnswer } from '#core/checkpoint/turns/save-round.ts';
import { cleanText } from '#core/text.ts';
import { checkOutput } from '#core/tools/arguments/check-output.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { type Outcome, outcomeOf } from '#core/turn/outcome.ts';
import { needsRepair, unfitError } from '#core/turn/output/output-schema.ts';
import type { Violation } from '#core/turn/output/violation.ts';
import { type AnswerRound, predictAfterAnswer, predictAfterRound } from '#core/turn/predict.ts';
import { loopingCall } from '#core/turn/reached-limit.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { reportTurnEnd } from '../../process/report-turn-end.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups } from '../lease/stop-run.ts';
import { reportRound } from '../report/report-attempt.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import { newCalls } from './new-calls.ts';
import { pricedUsage } from './priced-usage.ts';

type Replied = { step: RoundStep; reply: Reply; startedAt: number };

/**
 * Checkpoints a reply: with the calls it requests, as the answer that ends the turn, or with calls that end it too (R19). What the
 * model was sent is what the run had loaded (R29).
 */
export async function commitRound(run: Run, replied: Replied, context: WorkerContext): Promise<Wakeup[]> {
  const { turn } = run;
  const { step, startedAt } = replied;
  const usage = pricedUsage(replied.reply, turn.work.model, context);
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
    sent: turn.joined.length,
    startedAt,
    standsOn: standsOnOf(turn.rounds),
    warnings,
    calls: outcome.kind === 'calls' ? await newCalls(turn, { number: step.round, reply }, context) : [],
  };
  const committed = await save(turn, { ...round, outcome: await endingOf(turn, outcome, round) }, context);
  if (!committed) {
    context.log.info(
      { event: 'round.dropped', turn_id: turn.id, round: step.round },
      'late reply dropped: the round was already there, or the turn had ended',
    );
    return dueWakeups(turn, context);
  }

  reportRound(run, reply, context);
  reportCommitted(turn, replied, { ...committed, usage, context });
  return committed.wakeups;
}

/** What the reply cost is to be bounded, and not known. */
function isUncounted({ usage }: Reply, { config }: Turn): boolean {
  return config.limits.max_cost_usd !== null && typeof usage?.cost_usd !== 'number';
}

const UNCOUNTED = 'What a round cost is not known, so max_cost_usd does not count it';

type RepliedRound = MiddleAnswer & { calls: NewCall[] };
type Meant =
  | Outcome
  | { kind: 'hand-over'; output: string }
  | { kind: 'repair'; violations: Violation[] }
  | { kind: 'failed'; output: string; violations: Violation[] };
type Committed = Meant | { kind: 'surpassed' };
type Ending = Exclude<Committed, { kind: 'calls' | 'repair' | 'surpassed' }>;

/**
 * A reply that only asks for calls which are answered in a later turn ends this one (contract-responses R31). An answer that
 * breaks the output schema is repaired once, and fails the turn after that (R25).
 */
async function endingOf(turn: Turn, outcome: Outcome, { calls, reply }: RepliedRound): Promise<Meant> {
  if (outcome.kind === 'calls') {
    const isOver = calls.every(({ result }) => result?.status === 'handed_over');
    return isOver ? { kind: 'hand-over', output: reply.text ?? '' } : outcome;
  }
  const { output_schema: wanted } = turn.config;
  if (outcome.kind !== 'completed' || !wanted) return outcome;
  const violations = await checkOutput({ answer: outcome.output, schema: wanted.schema, project: turn.project });
  if (violations.length === 0) return outcome;
  if (!needsRepair(turn)) return { kind: 'repair', violations };
  return { kind: 'failed', output: outcome.output, violations };
}

type Commit = { outcome: Committed; wakeups: Wakeup[] };

async function save(
  turn: Turn,
  { outcome, ...round }: RepliedRound & { outcome: Meant },
  context: WorkerContext,
): Promise<Commit | null> {
  const commit = (as: Committed, wakeups: Wakeup[] | null) => wakeups && { outcome: as, wakeups };
  switch (outcome.kind) {
    case 'calls':
      return commit(outcome, await saveCalls(turn, round, context));
    case 'repair':
      return commit(outcome, await saveUnfit(turn, { ...round, violations: outcome.violations }, context));
    case 'hand-over':
    case 'failed':
      return commit(outcome, await saveEnding(turn, { ...round, outcome }, context));
    case 'completed':
    case 'incomplete': {
      const ended = commit(outcome, await saveEnding(turn, { ...round, outcome }, context));
      return ended ?? commit({ kind: 'surpassed' }, await saveSurpassed(turn, round, context));
    }
  }
}

async function saveCalls(turn: Turn, round: RepliedRound, context: WorkerContext): Promise<Wakeup[] | null> {
  const saved = { ...round, turnId: turn.id, webhook: turn.config.webhook };
  const write = { verb: 'saveRound', turnId: turn.id };
  const isAnswered = round.calls.some(({ result }) => result && result.status !== 'handed_over');
  if (isAnswered) {
    const answered = await writeCheckpoint(context, write, () => saveAnsweredRound(context.db, saved));
    return answered?.wakeups ?? null;
  }
  const done = await writeCheckpoint(context, write, () => saveRound(context.db, saved));
  return kept(done, predictAfterRound(turn, round), context);
}

type MiddleAnswer = Omit<AnswerRound, 'violations'> & { sent: number; standsOn: number | null };

async function saveUnfit(
  turn: Turn,
  round: MiddleAnswer & { violations: Violation[] },
  context: WorkerContext,
): Promise<Wakeup[] | null> {
  const saved = { ...round, turnId: turn.id, webhook: turn.config.webhook };
  const write = { verb: 'saveUnfitAnswer', turnId: turn.id };
  const done = await writeCheckpoint(context, write, () => saveUnfitAnswer(context.db, saved));
  return kept(done, predictAfterAnswer(turn, round), context);
}

/** An answer that may not end its turn, since an input has joined behind what it was asked with: the turn goes on (R30). */
async function saveSurpassed(turn: Turn, round: MiddleAnswer, context: WorkerContext): Promise<Wakeup[] | null> {
  const saved = { ...round, turnId: turn.id, webhook: turn.config.webhook };
  const write = { verb: 'saveSurpassedAnswer', turnId: turn.id };
  const done = await writeCheckpoint(context, write, () => saveSurpassedAnswer(context.db, saved));
  return kept(done, predictAfterAnswer(turn, round), context);
}

function kept(saved: Saved | null, turn: Turn | null, { turnCache }: WorkerContext): Wakeup[] | null {
  if (!saved) return null;
  turnCache.keep(turn, saved.inputs);
  return saved.wakeups;
}

async function saveEnding(
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
    answers: outcome.kind === 'completed' || outcome.kind === 'incomplete',
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
  about: { outcome: Committed; wakeups: Wakeup[]; usage: Reply['usage']; context: WorkerContext },
): void {
  const { outcome, wakeups, usage, context } = about;
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
  if (outcome.kind === 'surpassed') {
    log.info({ event: 'round.surpassed' }, `round ${step.round} answered before an input that has joined: it goes on`);
    return;
  }
  const status = statusOf(outcome);
  const errorCode = outcome.kind === 'failed' ? 'output_schema_violated' : undefined;
  reportTurnEnd(turn, { status, errorCode, output: outcome.output, lastRound: { usage } }, context);
  const rounds = `${step.round} round${step.round === 1 ? '' : 's'}`;
  log.info({ event: 'turn.ended', status }, `turn finished after ${rounds}: ${status}`);
}
