import { basedOnOf } from '#core/checkpoint/sql/rounds/based-on.ts';
import type { NewCall } from '#core/checkpoint/sql/rounds/new-calls.ts';
import { endWithRound } from '#core/checkpoint/turns/end.ts';
import { type Saved, saveInvalidAnswer, saveRound, saveSupersededAnswer } from '#core/checkpoint/turns/save-round.ts';
import { cleanText } from '#core/text.ts';
import { checkOutput } from '#core/tools/arguments/check-output.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { type Outcome, outcomeOf } from '#core/turn/outcome.ts';
import { invalidOutputError, needsRepair } from '#core/turn/output/output-schema.ts';
import type { Violation } from '#core/turn/output/violation.ts';
import { type AnswerRound, predictAfterAnswer, predictAfterRound } from '#core/turn/predict.ts';
import { loopingCall } from '#core/turn/reached-limit.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { IncompleteReason, Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { reportTurnEnd } from '../../process/report-turn-end.ts';
import type { WorkerContext } from '../context.ts';
import { nextRunOf, type Run } from '../lease/run.ts';
import { dueWakeups } from '../lease/stop-run.ts';
import { reportRound } from '../report/report-attempt.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';
import { type SavingContext, savingContext } from './background/saving-context.ts';
import { newCalls } from './new-calls.ts';
import { pricedUsage } from './priced-usage.ts';
import { takeHosted } from './take-hosted.ts';

/**
 * The wakeups of a round. `report` reports its commit, if the run made a commit. A failing report does not fail the
 * saved round.
 */
export type CommittedRound = { wakeups: Wakeup[]; report?(): void };

type Replied = { step: RoundStep; reply: Reply; startedAt: number };

/** A reply with the columns of all writes that may save it. */
type RepliedRound = Omit<AnswerRound, 'violations'> & {
  inputsSent: number;
  basedOn: number | null;
  calls: NewCall[];
  nextRun: string | null;
};

/**
 * Checkpoints a reply as a round with calls, as the answer that ends the turn, or as calls that end the turn too
 * (R19). The request contained the inputs that the run had loaded (R29).
 */
export async function commitRound(run: Run, replied: Replied, context: WorkerContext): Promise<CommittedRound> {
  const { turn } = run;
  const { step, startedAt } = replied;
  const tier = run.responses?.awaited()?.isBatch ? { serviceTier: 'batch' } : {};
  const usage = pricedUsage({ ...replied.reply, ...tier }, turn.work.model, context);
  const { fields, blobs, warnings } = takeHosted(replied.reply);
  const reply = { ...cleaned(replied.reply), ...fields, usage };
  const outcome = outcomeOf(reply, step.final, needsRepair(turn));
  const round = {
    number: step.round,
    model: turn.work.model,
    reply,
    attempts: turn.work.attempts + turn.work.starts + 1,
    draft: run.lease.draft,
    inputsSent: turn.joined.length,
    startedAt,
    basedOn: basedOnOf(turn.rounds),
    warnings: warningsAfter(turn, step, { ...reply, warnings: [...(reply.warnings ?? []), ...warnings] }),
    nextRun: nextRunOf(run),
    calls: outcome.kind === 'calls' ? await newCalls(turn, { number: step.round, reply }, context) : [],
  };
  const committed = await save(turn, round, { outcome, context: savingContext(run, blobs, context) });
  if (!committed) {
    context.log.info(
      { event: 'round.dropped', turn_id: turn.id, round: step.round },
      'late reply dropped: the round was already saved, or the turn had ended',
    );
    return { wakeups: await dueWakeups(run, context) };
  }
  const report = () => {
    reportRound(run, reply, context);
    reportCommitted(turn, round, { committed, context });
  };
  return { wakeups: committed.wakeups, report };
}

/** Returns the warnings of a turn and of its new round, each once. */
function warningsAfter(turn: Turn, { final }: RoundStep, { warnings = [], usage }: Reply): string[] {
  const { max_cost_usd: mostCost } = turn.config.limits;
  const isUncounted = mostCost !== null && typeof usage?.cost_usd !== 'number';
  const loop = final && loopingCall(turn);
  const own = [
    ...warnings,
    ...(isUncounted ? [UNCOUNTED] : []),
    ...(loop ? [`${loop.name} was called in a loop`] : []),
  ];
  return [...new Set([...turn.warnings, ...own])];
}

const UNCOUNTED = 'The cost of a round is unknown, so max_cost_usd does not count it';

function cleaned(reply: Reply): Reply {
  return {
    ...reply,
    text: reply.text === null ? null : cleanText(reply.text),
    reasoning: reply.reasoning ? cleanText(reply.reasoning) : null,
    finishReasonRaw: reply.finishReasonRaw === null ? null : cleanText(reply.finishReasonRaw),
    calls: reply.calls.map((call) => ({ ...call, name: cleanText(call.name), arguments: cleanText(call.arguments) })),
  };
}

/** A commit of a reply, with the event and the text of its log line. `ended` is given if the commit ends the turn. */
type Committed = { wakeups: Wakeup[]; event: string; says: string; ended?: RoundEnding };

type Saving = { context: SavingContext };

/**
 * Saves a reply by its outcome. A reply ends the turn if all its calls are answered in a later turn. An answer that
 * breaks the output schema is repaired once, and fails the turn after that (R25).
 */
async function save(
  turn: Turn,
  round: RepliedRound,
  { outcome, context }: Saving & { outcome: Outcome },
): Promise<Committed | null> {
  if (outcome.kind === 'calls') {
    const isOver = round.calls.every(({ result }) => result?.status === 'handed_over');
    if (!isOver) return saveCalls(turn, round, context);
    const output = round.reply.text ?? '';
    return saveEnding(turn, round, { ending: { status: 'completed', output, answers: false }, context });
  }
  const violations = await violationsOf(turn, outcome);
  if (violations.length > 0) {
    if (!needsRepair(turn)) return saveInvalid(turn, { ...round, violations }, context);
    const ending = { status: 'failed' as const, output: outcome.output, violations, answers: false };
    return saveEnding(turn, round, { ending, context });
  }
  const { kind: status, output } = outcome;
  const incompleteReason = outcome.kind === 'incomplete' ? outcome.reason : undefined;
  const ending = { status, output, answers: true, ...(incompleteReason && { incompleteReason }) };
  return (await saveEnding(turn, round, { ending, context })) ?? saveSuperseded(turn, round, context);
}

async function violationsOf({ config, project }: Turn, { kind, output }: Ended): Promise<Violation[]> {
  const { output_schema: wanted } = config;
  if (kind !== 'completed' || !wanted) return [];
  return await checkOutput({ answer: output, schema: wanted.schema, project });
}

type Ended = Exclude<Outcome, { kind: 'calls' }>;

async function saveCalls(turn: Turn, round: RepliedRound, context: SavingContext): Promise<Committed | null> {
  const { webhook } = turn.config;
  const saved = { ...round, turnId: turn.id, webhook, hasEndpoints: turn.work.hasEndpoints };
  const write = { verb: 'saveRound', turnId: turn.id };
  const done = await writeCheckpoint(context, write, () => context.saveUsed((db) => saveRound(db, saved)));
  const isAnswered = round.calls.some(({ result }) => result && result.status !== 'handed_over');
  const wakeups = isAnswered ? done?.wakeups : kept(done, predictAfterRound(turn, round), context);
  if (!wakeups) return null;
  const count = round.reply.calls.length;
  const says = `round ${round.number} replied: ${count} tool call${count === 1 ? '' : 's'} requested`;
  return { wakeups, event: 'round.replied', says };
}

async function saveInvalid(
  turn: Turn,
  round: RepliedRound & { violations: Violation[] },
  context: SavingContext,
): Promise<Committed | null> {
  const saved = { ...round, turnId: turn.id, webhook: turn.config.webhook };
  const write = { verb: 'saveInvalidAnswer', turnId: turn.id };
  const done = await writeCheckpoint(context, write, () => context.saveUsed((db) => saveInvalidAnswer(db, saved)));
  const wakeups = kept(done, predictAfterAnswer(turn, round), context);
  const says = `round ${round.number} does not match the output schema and will be repaired`;
  return wakeups && { wakeups, event: 'round.unfit', says };
}

/**
 * Saves an answer that may not end its turn, because an input has joined since its request. The turn continues (R30).
 */
async function saveSuperseded(turn: Turn, round: RepliedRound, context: SavingContext): Promise<Committed | null> {
  const saved = { ...round, turnId: turn.id, webhook: turn.config.webhook };
  const write = { verb: 'saveSupersededAnswer', turnId: turn.id };
  const done = await writeCheckpoint(context, write, () => context.saveUsed((db) => saveSupersededAnswer(db, saved)));
  const wakeups = kept(done, predictAfterAnswer(turn, round), context);
  const says = `round ${round.number} answered before it received a new input, so the turn continues`;
  return wakeups && { wakeups, event: 'round.surpassed', says };
}

function kept(saved: Saved | null, turn: Turn | null, { turnCache, isBehind }: SavingContext): Wakeup[] | null {
  if (!saved) return null;
  turnCache.keep(isBehind ? null : turn, saved);
  return saved.wakeups;
}

/** The end of a turn by a reply. An answer may end the turn only if the model has received all joined inputs (R30). */
type RoundEnding = {
  status: 'completed' | 'incomplete' | 'failed';
  output: string;
  answers: boolean;
  incompleteReason?: IncompleteReason;
  violations?: Violation[];
};

async function saveEnding(
  turn: Turn,
  round: RepliedRound,
  { ending, context }: Saving & { ending: RoundEnding },
): Promise<Committed | null> {
  const { violations, ...ended } = ending;
  const written = {
    ...ended,
    turnId: turn.id,
    conversationId: turn.conversationId,
    step: turn.work.step,
    warnings: round.warnings,
    lastRound: { ...round, ...(violations && { violations }) },
    hasSubscribers: turn.config.webhook !== null || turn.work.hasEndpoints,
    ...(violations && { error: invalidOutputError(violations) }),
  };
  const write = { verb: 'endWithRound', turnId: turn.id };
  const wakeups = await writeCheckpoint(context, write, () => context.saveUsed((db) => endWithRound(db, written)));
  const rounds = `${round.number} round${round.number === 1 ? '' : 's'}`;
  const says = `turn finished after ${rounds}: ${ending.status}`;
  return wakeups && { wakeups, event: 'turn.ended', says, ended: ending };
}

function reportCommitted(
  turn: Turn,
  { number, startedAt, reply }: RepliedRound,
  { committed, context }: { committed: Committed; context: WorkerContext },
): void {
  const { wakeups, event, says, ended } = committed;
  context.watchers.publishChange(turn.id, wakeups);
  const about = { turn_id: turn.id, round: number, duration_ms: Date.now() - startedAt };
  if (ended) {
    const { status, output, violations } = ended;
    const errorCode = violations && 'output_schema_violated';
    reportTurnEnd(turn, { status, errorCode, output, lastRound: { usage: reply.usage } }, context);
  }
  context.log.info({ event, ...about, ...(ended && { status: ended.status }) }, says);
}
