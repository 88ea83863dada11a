import type { Piece } from '../responses/piece.ts';
import type { RunningReply } from '../responses/running-round.ts';
import { nothingSent, type RoundPieces, type RunningPieces, type SentRound, tellRound } from '../responses/sent.ts';
import type { Round, ToolCall, Turn } from '../turn.ts';
import { callChunks } from './call-chunks.ts';
import { endingChunk, errorChunk, startChunk, type UiChunk } from './chunk.ts';
import { runningStepPieces, stepPieces } from './step-pieces.ts';

/** Sends a turn to one client as a message in chunks, each once and in order. */
export type UiTeller = {
  /** Sends the new chunks of the turn. The reader may stop after any chunk. The next call continues after it. */
  tell(turn: Turn, running: RunningReply | undefined): Generator<UiChunk>;
  /** `whole`: the last chunk was sent. `superseded`: an error for superseded text was sent last. */
  end(): 'whole' | 'superseded' | null;
};

/** Makes the teller of one stream, which begins with the first chunk. */
export function makeUiTeller(keep: RunningPieces<UiChunk> = (_, pieces) => pieces): UiTeller {
  const sent: Sent = {
    keep,
    hasBegun: false,
    isAdoptedWhole: false,
    steps: 0,
    step: noStep(),
    ending: null,
    isSuperseded: false,
  };
  return {
    tell: (turn, running) => tellOn(sent, turn, running),
    end: () => (sent.ending?.length === 0 ? (sent.isSuperseded ? 'superseded' : 'whole') : null),
  };
}

/** `ending` has the remaining chunks once the end is known. Later changes of the turn are not sent. */
type Sent = {
  keep: RunningPieces<UiChunk>;
  hasBegun: boolean;
  isAdoptedWhole: boolean;
  steps: number;
  step: SentStep;
  ending: UiChunk[] | null;
  isSuperseded: boolean;
};

/** The part of a step that was sent: units of its round, and chunks of each call. */
type SentStep = SentRound<UiChunk> & { calls: Map<string, number> };

function noStep(): SentStep {
  return { ...nothingSent<UiChunk>(), calls: new Map() };
}

/** Changes the state before it yields a chunk, since a reader that stops never reaches the code after the `yield`. */
function* tellOn(sent: Sent, turn: Turn, running: RunningReply | undefined): Generator<UiChunk> {
  if (!sent.hasBegun) {
    sent.hasBegun = true;
    yield startChunk(turn);
  }
  if (!sent.ending) yield* tellSteps(sent, turn, running);
  for (let last = sent.ending?.shift(); last; last = sent.ending?.shift()) yield last;
}

function* tellSteps(sent: Sent, turn: Turn, running: RunningReply | undefined): Generator<UiChunk> {
  if (!sent.isAdoptedWhole && !(yield* tellAdopted(sent, turn))) return;
  for (let round = turn.rounds[sent.steps]; round; round = turn.rounds[sent.steps]) {
    const isWhole = yield* tellCommitted(sent, turn, round);
    if (sent.ending) return;
    const ending = endingChunk(turn);
    if (!isWhole && ending) sent.ending = [{ type: 'finish-step' }, ending];
    if (!isWhole) return;
    sent.steps += 1;
    sent.step = noStep();
    yield { type: 'finish-step' };
  }
  const ending = endingChunk(turn);
  if (ending) endBehindSteps(sent, ending);
  else if (running && running.round === (turn.rounds.at(-1)?.number ?? 0) + 1) yield* tellRunning(sent, turn, running);
}

/**
 * Sends the imported calls as a step before all rounds. Returns whether all were sent, which is certain after the
 * turn's end.
 */
function* tellAdopted(sent: Sent, turn: Turn): Generator<UiChunk, boolean> {
  if (turn.adopted.length === 0) return true;
  if (sent.step.units === 0) {
    sent.step.units = 1;
    yield { type: 'start-step' };
  }
  const isWhole = yield* tellCalls(sent.step, turn, turn.adopted);
  if (!isWhole) return false;
  sent.step = noStep();
  sent.isAdoptedWhole = true;
  yield { type: 'finish-step' };
  return true;
}

/**
 * Ends the message. If a limit ended the turn during a round, the message ends with an error, since its text was
 * partly sent.
 */
function endBehindSteps(sent: Sent, ending: UiChunk): void {
  if (sent.step.units > 0 && ending.type === 'finish') supersede(sent);
  else sent.ending = [ending];
}

/** Sends the chunks of a committed round. Returns whether the round is complete. */
function* tellCommitted(sent: Sent, turn: Turn, round: Round): Generator<UiChunk, boolean> {
  const { draft } = round;
  const now = { draft, attempt: null, isCommitted: true, pieces: stepPieces(turn, round) };
  if (!(yield* tellSaid(sent, now))) return false;
  return yield* tellCalls(sent.step, turn, round.calls);
}

/** Sends the chunks of the calls of a step. Returns whether all calls have results. */
function* tellCalls(step: SentStep, turn: Turn, calls: ToolCall[]): Generator<UiChunk, boolean> {
  const chunks = calls.map((call) => ({ id: call.id, known: callChunks(turn, call) }));
  for (const { id, known } of chunks) yield* tellCall(step, id, known.slice(0, 1));
  for (const { id, known } of chunks) yield* tellCall(step, id, known);
  return calls.every(({ result }) => result !== null);
}

function* tellRunning(sent: Sent, turn: Turn, running: RunningReply): Generator<UiChunk> {
  const { draft, attempt } = running;
  yield* tellSaid(sent, { draft, attempt, isCommitted: false, pieces: runningStepPieces(turn, running) }, running);
}

/** Sends the texts of a round. Returns false if they must wait, or if the stream cannot continue. */
function* tellSaid(sent: Sent, now: RoundPieces<UiChunk>, running?: RunningReply): Generator<UiChunk, boolean> {
  const keep = (pieces: Piece<UiChunk>[]) => (running ? sent.keep(running, pieces) : pieces);
  const outcome = yield* tellRound(sent.step, now, keep);
  if (outcome === 'superseded') supersede(sent);
  return outcome === 'tell';
}

function* tellCall({ calls }: SentStep, id: string, known: UiChunk[]): Generator<UiChunk> {
  for (const chunk of known.slice(calls.get(id) ?? 0)) {
    calls.set(id, (calls.get(id) ?? 0) + 1);
    yield chunk;
  }
}

function supersede(sent: Sent): void {
  sent.isSuperseded = true;
  sent.ending = [errorChunk(SUPERSEDED)];
}

const SUPERSEDED = {
  code: 'stream_superseded',
  message: 'The model began this reply again, so the received part is outdated. Request the stream again.',
};
