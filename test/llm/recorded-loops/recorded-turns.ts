import type { Exchange } from '#test/llm/recordings.ts';
import type { ReadReply, ReadRequest, Said, WireReader } from './wire-reader.ts';

export type Answer = Extract<Said, { role: 'tool' }>;

/** One reply, and the client's answers to its calls. An answer is null if the client gave none. */
export type RecordedRound = { exchange: Exchange<unknown>; reply: ReadReply; answers: (Answer | null)[] };

/** The exchanges of a recording that are one turn to Pawl. */
export type RecordedTurn = {
  fields: ReadRequest['fields'];
  /** The input of the turn. If the turn continues the conversation before it, only the new input. */
  input: Said[];
  goesOn: boolean;
  rounds: RecordedRound[];
};

/** A recording as turns, or the reason why Pawl cannot play it. */
export type RecordedLoop = { turns: RecordedTurn[] } | { skip: string };

/** Reads exchanges as turns. Returns null if no call was answered, because the recording is not a tool loop. */
export function recordedTurns(recorded: Exchange<unknown>[], reader: WireReader): RecordedLoop | null {
  const exchanges = reader.exchanges?.(recorded) ?? recorded;
  const reason = exchanges.length > 1 && reader.skips?.(exchanges);
  if (reason) return { skip: reason };
  const replies = exchanges.map((exchange) => reader.reply(exchange));
  const isAnswered = exchanges.every(({ request }) => request === null);
  const requests = isAnswered ? imagined(replies, reader) : exchanges.map((exchange) => reader.request(exchange));
  const steps = exchanges.map((exchange, index) => ({ exchange, reply: replies[index]!, ...requests[index]! }));
  // A client may repeat a request without new input. Such a request is not a turn.
  const turns = steps.reduce(addStep, []).filter(({ input }) => input.length > 0);
  const isLoop = turns.some(({ rounds }) => rounds.some(({ answers }) => answers.some(Boolean)));
  if (!isLoop && !(reader.hasStateAlways && turns.some(({ goesOn }) => goesOn))) return null;
  if (turns.some(({ input }) => !input.every(isPlain))) return { skip: 'it begins in the middle of a loop' };
  if (turns.some(endsEmpty)) return { skip: 'it has two empty replies after results, with which a turn of Pawl ends' };
  return turns.some(goesOnAlone) ? { skip: 'it ends with a call of no tool, which Pawl answers' } : { turns };
}

/** Returns requests for replies that were recorded without requests: some text, and an answer to each call. */
function imagined(replies: ReadReply[], { wire }: WireReader): ReadRequest[] {
  const names = new Set(replies.flatMap(({ calls }) => calls.map(({ name }) => name)));
  const tools = [...names].map((name) => ({ name, execution: { kind: 'client' } }));
  const rounds = replies.map(({ text, calls }): Said[] => [
    { role: 'assistant', text, calls: calls.length },
    ...calls.map(({ id }) => ({ role: 'tool' as const, id, text: 'ok', isError: false })),
  ]);
  return replies.map((_, index) => ({
    said: [{ role: 'user', text: 'Hi' }, ...rounds.slice(0, index).flat()],
    fields: { model: `${wire}/some-model`, tools },
  }));
}

type Step = ReadRequest & { exchange: Exchange<unknown>; reply: ReadReply };

function addStep(turns: RecordedTurn[], step: Step, index: number, steps: Step[]): RecordedTurn[] {
  const news = added(step.said, steps[index + 1]?.said).filter((each) => each.role === 'tool');
  const round = { ...step, answers: step.reply.calls.map(({ id }, place) => answerTo(id, place, news)) };
  const turn = turns.at(-1);
  const open = turn?.rounds.at(-1);
  if (turn && open && (open.reply.problem !== null || open.answers.some(Boolean))) {
    return [...turns.slice(0, -1), { ...turn, rounds: [...turn.rounds, round] }];
  }
  const since = added(steps[index - 1]?.said ?? step.said, step.said);
  const answer = since.findLastIndex(({ role }) => role === 'assistant');
  const input = answer === -1 ? step.said : since.slice(answer + 1);
  return [...turns, { fields: step.fields, input, goesOn: answer !== -1, rounds: [round] }];
}

/** Returns the new messages of a request. Returns none if the request does not continue the request before it. */
function added(before: Said[], after: Said[] | undefined): Said[] {
  const isSame = after && before.every((each, index) => each.role === after[index]?.role);
  return isSame ? after.slice(before.length) : [];
}

/** Returns the answer by its id, or by its index if the wire has no ids. */
function answerTo(id: string, place: number, answers: Answer[]): Answer | null {
  const isNamed = Boolean(id && answers[0]?.id);
  return (isNamed ? answers.find((answer) => answer.id === id) : answers[place]) ?? null;
}

/** Returns whether Pawl would continue after the recorded client stopped. A call of an unknown tool needs no client. */
function goesOnAlone({ rounds, fields }: RecordedTurn): boolean {
  const { reply, answers } = rounds.at(-1)!;
  const names = fields.tools.map(({ name }) => name);
  return reply.calls.length > 0 && !answers.some(Boolean) && !reply.calls.some(({ name }) => names.includes(name));
}

/** Returns whether the model gave two empty replies in a row, and was requested again. */
function endsEmpty({ rounds }: RecordedTurn): boolean {
  const isEmpty = ({ reply }: RecordedRound) =>
    reply.problem !== null && !reply.text?.trim() && reply.calls.length === 0;
  return rounds.slice(2).some((_, index) => isEmpty(rounds[index]!) && isEmpty(rounds[index + 1]!));
}

function isPlain(said: Said): boolean {
  return said.role !== 'tool' && (said.role !== 'assistant' || said.calls === 0);
}
