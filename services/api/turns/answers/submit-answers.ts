import type { Db } from '#core/checkpoint/tables.ts';
import { answerCalls, type ExternalAnswer } from '#core/checkpoint/turns/answer-calls.ts';
import type { Answered } from '#core/checkpoint/turns/commits/advance-batch.ts';
import { lockTurn } from '#core/checkpoint/turns/lock.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { shorten } from '#core/text.ts';
import { allCalls } from '#core/turn/call.ts';
import type { AnswerOutcome } from '#core/turn/classify-answer.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import { keepTaken, type TakenInput } from '../../../start/take-parts.ts';
import { turnNotFound } from '../../http/find-own.ts';

/** The maximum number of answers in a request. A turn has no more calls. */
export const MAX_ANSWERS = 10_000;

/** An answer of a request: its call, its relation to the known answer, and the data to record if it is new. */
export type SubmittedAnswer = {
  callId: string;
  path: string;
  classify(call: ToolCall): AnswerOutcome;
  record(call: ToolCall, turn: Turn): Omit<ExternalAnswer, 'index'>;
  /** The blobs and files that its parts refer to, if it has parts. */
  taken?: Omit<TakenInput, 'input'>;
};

/** Takes answers for waiting calls, all or none, under the lock of the turn. The first of two answers is kept. */
export async function submitAnswers(db: Db, turnId: string, submitted: SubmittedAnswer[]): Promise<Answered> {
  refuseRepeated(submitted);
  return db.transaction().execute(async (trx) => {
    await lockTurn(trx, turnId);
    const turn = await loadTurn(trx, turnId);
    if (!turn || turn.hidden) throw turnNotFound();

    const calls = new Map(allCalls(turn).map((call) => [call.id, call]));
    const answers = submitted.flatMap((one) => answersFor(turn, calls.get(one.callId), one));
    if (answers.length === 0) return { written: [], wakeups: [], inputs: 0 };
    const answered = await answerCalls(trx, { turnId, round: turn.rounds.length, answers });
    const isWritten = ({ callId }: SubmittedAnswer) => answered.written.includes(calls.get(callId)?.index ?? -1);
    const taken = submitted.filter(isWritten).flatMap((one) => one.taken ?? []);
    const hashes = taken.flatMap((each) => each.hashes);
    const blobs = taken.flatMap((each) => each.blobs);
    await keepTaken(trx, { project: turn.project, turnId, taken: { hashes, blobs } });
    return answered;
  });
}

function refuseRepeated(submitted: SubmittedAnswer[]): void {
  const first = new Map<string, SubmittedAnswer>();
  const again = submitted.find((one) => first.get(one.callId) ?? !first.set(one.callId, one));
  if (!again) return;
  throw new RequestRefused(
    400,
    'invalid_value',
    `The call ${shorten(again.callId)} is answered twice here. Answer it once.`,
    again.path,
  );
}

function answersFor(
  turn: Turn,
  call: ToolCall | undefined,
  { callId, path, classify, record }: SubmittedAnswer,
): ExternalAnswer[] {
  if (!call)
    throw new RequestRefused(404, 'tool_call_not_found', `This turn has no tool call ${shorten(callId)}.`, path);
  switch (classify(call)) {
    case 'record':
      return [{ index: call.index, ...record(call, turn) }];
    case 'repeat':
      return [];
    case 'contradiction':
      throw conflict(
        'tool_call_answered',
        `The call ${shorten(callId)} already has a different answer, and the first answer remains. Read ` +
          "the turn's rounds.",
        path,
      );
    case 'not-waiting':
      throw conflict(
        'tool_call_not_waiting',
        `The call ${shorten(callId)} does not wait for this answer. Read the turn's required_action.`,
        path,
      );
    case 'handed-over':
      throw conflict(
        'tool_call_not_waiting',
        `The call ${shorten(callId)} was handed over. Give its result in the input of the next turn or response.`,
        path,
      );
    case 'given-up':
      throw conflict(
        'tool_call_not_waiting',
        `The call ${shorten(callId)} accepts no more answers: ${whyGivenUp(call)}`,
        path,
      );
  }
}

function conflict(code: string, message: string, path: string): RequestRefused {
  return new RequestRefused(409, code, message, path);
}

/** Returns the message that the model got. A call that has just expired has no result yet. */
function whyGivenUp({ result }: ToolCall): string {
  return result?.error?.message ?? 'Nobody answered this call in time.';
}
