import { basedOnOf } from '#core/checkpoint/sql/rounds/based-on.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { endWithRound } from '#core/checkpoint/turns/end.ts';
import { saveResults } from '#core/checkpoint/turns/save-results.ts';
import { saveRound } from '#core/checkpoint/turns/save-round.ts';
import { latestCalls } from '#core/turn/call.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { SomeRound } from './arbitrary-turn.ts';

/** The form of a run's commits: `lean` if the run knows no endpoint and no waiting call. */
export type Form = 'lean' | 'full';

/** An answer that ends its turn. `joins`: an input has joined after the request for the answer. */
export type LastAnswer = {
  round: SomeRound;
  status: 'completed' | 'incomplete';
  joins: boolean;
  isAnswer: boolean;
};

/** Makes the commits of a run in this form: a reply with calls, results of its batch, and an end. */
export function commitsInForm(db: Db, form: Form) {
  const isFull = form === 'full';
  return {
    saveReply: (turn: Turn, round: SomeRound) => saveRound(db, { ...replyOf(turn, round), hasEndpoints: isFull }),
    saveAnswers: (turn: Turn, round: SomeRound, isEarly: boolean) =>
      saveResults(db, { ...answersOf(turn, round, isEarly), waits: isFull }),
    end: (turn: Turn, answer: LastAnswer) => endWithRound(db, { ...endingOf(turn, answer), hasSubscribers: isFull }),
  };
}

function roundOf(turn: Turn, { reply, attempts, startedAt }: SomeRound) {
  const { model, draft } = turn.work;
  const known = { number: turn.rounds.length + 1, model, draft, inputsSent: turn.joined.length };
  return { ...known, reply, attempts, startedAt, basedOn: basedOnOf(turn.rounds) };
}

function replyOf(turn: Turn, round: SomeRound) {
  const calls = round.calls.map(({ name, arguments: args, effect, waitsFor }, index) => {
    const id = `call_${turn.rounds.length}_${index}`;
    return { id, name, arguments: args, effect, waitsFor, expiresInSeconds: null };
  });
  return {
    ...roundOf(turn, round),
    turnId: turn.id,
    webhook: null,
    warnings: round.warnings,
    calls,
    nextRun: round.nextRuns.batch,
  };
}

function answersOf(turn: Turn, round: SomeRound, isEarly: boolean) {
  const calls = latestCalls(turn).filter(({ index }) => round.calls[index]!.isEarly === isEarly);
  const results = calls.map((call) => ({ call, result: round.calls[call.index]!.result, fullOutput: null }));
  return { turnId: turn.id, round: turn.rounds.length, results, nextRun: round.nextRuns.round };
}

function endingOf(turn: Turn, { round, status, isAnswer }: LastAnswer) {
  const { id: turnId, conversationId, work } = turn;
  return {
    ...{ turnId, conversationId, status, step: work.step, warnings: round.warnings, answers: isAnswer },
    ...{ output: round.reply.text ?? '', lastRound: roundOf(turn, round) },
    ...(status === 'incomplete' && { incompleteReason: 'max_output_tokens' as const }),
  };
}
