import type { Answered } from '#core/checkpoint/advance-batch.ts';
import { answerCalls, type OutsideAnswer } from '#core/checkpoint/answer-calls.ts';
import type { Db } from '#core/checkpoint/database.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { lockTurn } from '#core/checkpoint/lock-turn.ts';
import { RequestRefused } from '#core/failure.ts';
import { shorten } from '#core/text.ts';
import type { AnswerVerdict } from '#core/turn/judge-answer.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import { turnNotFound } from './find-own.ts';

/** Answers of one request; a turn has no more calls. */
export const MAX_ANSWERS = 10_000;

/** One answer of a request: for which call, what it is worth, and what to record if it is new. */
export type Said = {
  callId: string;
  path: string;
  judge(call: ToolCall): AnswerVerdict;
  record(call: ToolCall, turn: Turn): Omit<OutsideAnswer, 'index'>;
};

/**
 * Takes answers for calls that wait for somebody, all or none. The turn is locked first, so that what is judged is
 * what is written to: two clients may answer at once, and the first of two contradicting answers stands.
 */
export async function answerFromOutside(db: Db, turnId: string, said: Said[]): Promise<Answered> {
  refuseTwice(said);
  return db.transaction().execute(async (trx) => {
    await lockTurn(trx, turnId);
    const turn = await loadTurn(trx, turnId);
    if (!turn) throw turnNotFound();

    const calls = new Map(turn.rounds.flatMap((round) => round.calls).map((call) => [call.id, call]));
    const answers = said.flatMap((one) => judged(turn, calls.get(one.callId), one));
    const round = turn.rounds.length;
    return answers.length === 0 ? { written: [], rings: [] } : answerCalls(trx, { turnId, round, answers });
  });
}

function refuseTwice(said: Said[]): void {
  const first = new Map<string, Said>();
  const again = said.find((one) => first.get(one.callId) ?? !first.set(one.callId, one));
  if (!again) return;
  throw new RequestRefused(
    400,
    'invalid_value',
    `The call ${shorten(again.callId)} is answered twice here. Answer it once.`,
    again.path,
  );
}

function judged(turn: Turn, call: ToolCall | undefined, { callId, path, judge, record }: Said): OutsideAnswer[] {
  if (!call)
    throw new RequestRefused(404, 'tool_call_not_found', `This turn has no tool call ${shorten(callId)}.`, path);
  switch (judge(call)) {
    case 'record':
      return [{ index: call.index, ...record(call, turn) }];
    case 'repeat':
      return [];
    case 'contradiction':
      throw conflict(
        'tool_call_answered',
        `The call ${shorten(callId)} was answered otherwise before; the first answer stands.`,
        path,
      );
    case 'not-waiting':
      throw conflict(
        'tool_call_not_waiting',
        `The call ${shorten(callId)} does not wait for this. Read the turn's required_action.`,
        path,
      );
    case 'given-up':
      throw conflict(
        'tool_call_not_waiting',
        `The call ${shorten(callId)} takes no answer any more: ${whyGivenUp(call)}`,
        path,
      );
  }
}

function conflict(code: string, message: string, path: string): RequestRefused {
  return new RequestRefused(409, code, message, path);
}

/** What the model was told; a call that has just expired has no result yet. */
function whyGivenUp({ result }: ToolCall): string {
  return result?.error?.message ?? 'Nobody answered this call in time.';
}
