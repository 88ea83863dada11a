import { endWithRound } from '#core/checkpoint/end-turn.ts';
import { persist } from '#core/checkpoint/persist.ts';
import { saveRound } from '#core/checkpoint/save-round.ts';
import { cleanText } from '#core/text.ts';
import { afterRound, type SavedRound } from '#core/turn/after-round.ts';
import { nameCalls } from '#core/turn/name-calls.ts';
import { type Outcome, outcomeOf } from '#core/turn/outcome.ts';
import { loopingCall } from '#core/turn/reached-limit.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import { addWaits } from '../plan-call.ts';
import type { Run } from '../run.ts';
import type { RoundStep } from './run-round.ts';
import { whatIsOwed } from './what-is-owed.ts';

type Replied = { step: RoundStep; reply: Reply; startedAt: number };

/** Checkpoints a reply: with the calls it asks for, or as the answer that ends the turn. */
export async function commitRound({ turn }: Run, replied: Replied, context: WorkerContext): Promise<Ring[]> {
  const { step, startedAt } = replied;
  const reply = cleaned(replied.reply);
  const attempts = turn.work.attempts + turn.work.starts + 1;
  const outcome = outcomeOf(reply, step.final);
  const loop = step.final && loopingCall(turn);
  const known = [...turn.warnings, ...(reply.warnings ?? []), ...(loop ? [`${loop.name} was called in a loop`] : [])];
  const warnings = [...new Set(known)];
  const round = { number: step.round, reply, attempts, startedAt, warnings };
  const rings =
    outcome.kind === 'calls'
      ? await saveCalls(turn, round, context)
      : await saveAnswer(turn, { ...round, outcome }, context);
  if (!rings) {
    context.log.info(
      { turn_id: turn.id, round: step.round },
      'late reply dropped: the round was already there, or the turn had ended',
    );
    return whatIsOwed(turn, context);
  }

  tell(turn, replied, { outcome, rings, context });
  return rings;
}

type RepliedRound = Omit<SavedRound, 'calls'>;

async function saveCalls(turn: Turn, round: RepliedRound, { db, turns }: WorkerContext): Promise<Ring[] | null> {
  const effectOf = new Map(turn.config.tools.map((tool) => [tool.name, tool.effect]));
  const asked = await addWaits(turn, round.number, nameCalls(round.reply.calls, turn.rounds));
  const calls = asked.map((call) => ({ ...call, effect: effectOf.get(call.name) ?? ('none' as const) }));
  const rings = await persist(() => saveRound(db, { ...round, turnId: turn.id, calls, webhook: turn.config.webhook }));
  if (rings) turns.keep(afterRound(turn, { ...round, calls }));
  return rings;
}

async function saveAnswer(
  turn: Turn,
  { outcome, ...lastRound }: RepliedRound & { outcome: Exclude<Outcome, { kind: 'calls' }> },
  { db }: WorkerContext,
): Promise<Ring[] | null> {
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
  return persist(() => endWithRound(db, ending));
}

function cleaned(reply: Reply): Reply {
  return {
    ...reply,
    text: reply.text === null ? null : cleanText(reply.text),
    finishReasonRaw: reply.finishReasonRaw === null ? null : cleanText(reply.finishReasonRaw),
    calls: reply.calls.map((call) => ({ ...call, name: cleanText(call.name), arguments: cleanText(call.arguments) })),
  };
}

function tell(
  turn: Turn,
  { step, reply, startedAt }: Replied,
  about: { outcome: Outcome; rings: Ring[]; context: WorkerContext },
): void {
  const { outcome, rings, context } = about;
  context.audience.news(turn.id, rings);
  const log = context.log.child({ turn_id: turn.id, round: step.round, duration_ms: Date.now() - startedAt });
  if (outcome.kind === 'calls') {
    log.info(`round ${step.round} replied: ${reply.calls.length} tool${reply.calls.length === 1 ? '' : 's'} wanted`);
  } else log.info(`turn finished after ${step.round} round${step.round === 1 ? '' : 's'}: ${outcome.kind}`);
}
