import { endTurn } from '#core/checkpoint/end-turn.ts';
import { persist } from '#core/checkpoint/persist.ts';
import { saveRound } from '#core/checkpoint/save-round.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { cleanText } from '#core/text.ts';
import { nameCalls } from '#core/turn/name-calls.ts';
import { type Outcome, outcomeOf } from '#core/turn/outcome.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { Ring } from '#core/turn/ring.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import { waitOf } from '../plan-call.ts';
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
  const warnings = [...new Set([...turn.warnings, ...(reply.warnings ?? [])])];
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

  context.parking.succeeded(splitModel(turn.config.model).provider);
  tell(turn, replied, { outcome, context });
  return rings;
}

type SavedRound = { number: number; reply: Reply; attempts: number; startedAt: number; warnings: string[] };

async function saveCalls(turn: Turn, round: SavedRound, { db }: WorkerContext): Promise<Ring[] | null> {
  const effectOf = new Map(turn.config.tools.map((tool) => [tool.name, tool.effect]));
  const calls = nameCalls(round.reply.calls, turn.rounds).map((call, index) => ({
    ...call,
    effect: effectOf.get(call.name) ?? ('none' as const),
    ...waitOf(turn, { ...call, index, round: round.number }),
  }));
  return persist(() => saveRound(db, { ...round, turnId: turn.id, calls }));
}

async function saveAnswer(
  turn: Turn,
  { outcome, ...lastRound }: SavedRound & { outcome: Exclude<Outcome, { kind: 'calls' }> },
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
  return persist(() => db.transaction().execute((trx) => endTurn(trx, ending)));
}

function cleaned(reply: Reply): Reply {
  return {
    ...reply,
    text: reply.text === null ? null : cleanText(reply.text),
    calls: reply.calls.map((call) => ({ ...call, name: cleanText(call.name), arguments: cleanText(call.arguments) })),
  };
}

function tell(
  turn: Turn,
  { step, reply, startedAt }: Replied,
  about: { outcome: Outcome; context: WorkerContext },
): void {
  const { outcome, context } = about;
  context.live.tellWatchers({ kind: 'wake', turnId: turn.id });
  const log = context.log.child({ turn_id: turn.id, round: step.round, duration_ms: Date.now() - startedAt });
  if (outcome.kind === 'calls') {
    log.info(`round ${step.round} replied: ${reply.calls.length} tool${reply.calls.length === 1 ? '' : 's'} wanted`);
  } else log.info(`turn finished after ${step.round} round${step.round === 1 ? '' : 's'}: ${outcome.kind}`);
}
