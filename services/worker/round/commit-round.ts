import { endWithRound } from '#core/checkpoint/turns/end.ts';
import { saveRound } from '#core/checkpoint/turns/save-round.ts';
import { cleanText } from '#core/text.ts';
import { assignCallIds } from '#core/turn/call.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { type Outcome, outcomeOf } from '#core/turn/outcome.ts';
import { predictAfterRound, type SavedRound } from '#core/turn/predict.ts';
import { loopingCall } from '#core/turn/reached-limit.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { addWaits } from '../batch/plan-calls.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups } from '../lease/stop-run.ts';
import { writeCheckpoint } from '../write-checkpoint.ts';

type Replied = { step: RoundStep; reply: Reply; startedAt: number };

/** Checkpoints a reply: with the calls it requests, or as the answer that ends the turn. */
export async function commitRound({ turn }: Run, replied: Replied, context: WorkerContext): Promise<Wakeup[]> {
  const { step, startedAt } = replied;
  const reply = cleaned(replied.reply);
  const attempts = turn.work.attempts + turn.work.starts + 1;
  const outcome = outcomeOf(reply, step.final);
  const loop = step.final && loopingCall(turn);
  const known = [...turn.warnings, ...(reply.warnings ?? []), ...(loop ? [`${loop.name} was called in a loop`] : [])];
  const warnings = [...new Set(known)];
  const round = { number: step.round, model: turn.config.model, reply, attempts, startedAt, warnings };
  const wakeups =
    outcome.kind === 'calls'
      ? await saveCalls(turn, round, context)
      : await saveAnswer(turn, { ...round, outcome }, context);
  if (!wakeups) {
    context.log.info(
      { event: 'round.dropped', turn_id: turn.id, round: step.round },
      'late reply dropped: the round was already there, or the turn had ended',
    );
    return dueWakeups(turn, context);
  }

  reportCommitted(turn, replied, { outcome, wakeups, context });
  return wakeups;
}

type RepliedRound = Omit<SavedRound, 'calls'>;

async function saveCalls(turn: Turn, round: RepliedRound, context: WorkerContext): Promise<Wakeup[] | null> {
  const effectOf = new Map(turn.config.tools.map((tool) => [tool.name, tool.effect]));
  const requested = await addWaits(turn, round.number, assignCallIds(round.reply.calls, turn.rounds));
  const calls = requested.map((call) => ({ ...call, effect: effectOf.get(call.name) ?? ('none' as const) }));
  const saved = { ...round, turnId: turn.id, calls, webhook: turn.config.webhook };
  const write = { verb: 'saveRound', turnId: turn.id };
  const wakeups = await writeCheckpoint(context, write, () => saveRound(context.db, saved));
  if (wakeups) context.turnCache.keep(predictAfterRound(turn, { ...round, calls }));
  return wakeups;
}

async function saveAnswer(
  turn: Turn,
  { outcome, ...lastRound }: RepliedRound & { outcome: Exclude<Outcome, { kind: 'calls' }> },
  context: WorkerContext,
): Promise<Wakeup[] | null> {
  const ending = {
    turnId: turn.id,
    conversationId: turn.conversationId,
    status: outcome.kind,
    output: outcome.output,
    step: turn.work.step,
    warnings: lastRound.warnings,
    lastRound,
    ...(outcome.kind === 'incomplete' ? { incompleteReason: outcome.reason } : {}),
  };
  const write = { verb: 'endWithRound', turnId: turn.id };
  return writeCheckpoint(context, write, () => endWithRound(context.db, ending));
}

function cleaned(reply: Reply): Reply {
  return {
    ...reply,
    text: reply.text === null ? null : cleanText(reply.text),
    finishReasonRaw: reply.finishReasonRaw === null ? null : cleanText(reply.finishReasonRaw),
    calls: reply.calls.map((call) => ({ ...call, name: cleanText(call.name), arguments: cleanText(call.arguments) })),
  };
}

function reportCommitted(
  turn: Turn,
  { step, reply, startedAt }: Replied,
  about: { outcome: Outcome; wakeups: Wakeup[]; context: WorkerContext },
): void {
  const { outcome, wakeups, context } = about;
  context.watchers.publishChange(turn.id, wakeups);
  const log = context.log.child({ turn_id: turn.id, round: step.round, duration_ms: Date.now() - startedAt });
  if (outcome.kind === 'calls') {
    const count = reply.calls.length;
    log.info({ event: 'round.replied' }, `round ${step.round} replied: ${count} tool${count === 1 ? '' : 's'} wanted`);
    return;
  }
  const rounds = `${step.round} round${step.round === 1 ? '' : 's'}`;
  log.info({ event: 'turn.ended', status: outcome.kind }, `turn finished after ${rounds}: ${outcome.kind}`);
}
