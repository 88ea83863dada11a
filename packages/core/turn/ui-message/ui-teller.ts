import type { Piece } from '../responses/piece.ts';
import type { RunningReply } from '../responses/running-round.ts';
import { nothingTold, type RoundPieces, type RunningPieces, type ToldRound, tellRound } from '../responses/told.ts';
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
  const told: Told = {
    keep,
    hasBegun: false,
    isAdoptedWhole: false,
    steps: 0,
    step: noStep(),
    ending: null,
    isSuperseded: false,
  };
  return {
    tell: (turn, running) => tellOn(told, turn, running),
    end: () => (told.ending?.length === 0 ? (told.isSuperseded ? 'superseded' : 'whole') : null),
  };
}

/** `ending` has the remaining chunks once the end is known. Later changes of the turn are not sent. */
type Told = {
  keep: RunningPieces<UiChunk>;
  hasBegun: boolean;
  isAdoptedWhole: boolean;
  steps: number;
  step: ToldStep;
  ending: UiChunk[] | null;
  isSuperseded: boolean;
};

/** The part of a step that was sent: units of its round, and chunks of each call. */
type ToldStep = ToldRound<UiChunk> & { calls: Map<string, number> };

function noStep(): ToldStep {
  return { ...nothingTold<UiChunk>(), calls: new Map() };
}

/** Changes the state before it yields a chunk, since a reader that stops never reaches the code after the `yield`. */
function* tellOn(told: Told, turn: Turn, running: RunningReply | undefined): Generator<UiChunk> {
  if (!told.hasBegun) {
    told.hasBegun = true;
    yield startChunk(turn);
  }
  if (!told.ending) yield* tellSteps(told, turn, running);
  for (let last = told.ending?.shift(); last; last = told.ending?.shift()) yield last;
}

function* tellSteps(told: Told, turn: Turn, running: RunningReply | undefined): Generator<UiChunk> {
  if (!told.isAdoptedWhole && !(yield* tellAdopted(told, turn))) return;
  for (let round = turn.rounds[told.steps]; round; round = turn.rounds[told.steps]) {
    const isWhole = yield* tellCommitted(told, turn, round);
    if (told.ending) return;
    const ending = endingChunk(turn);
    if (!isWhole && ending) told.ending = [{ type: 'finish-step' }, ending];
    if (!isWhole) return;
    told.steps += 1;
    told.step = noStep();
    yield { type: 'finish-step' };
  }
  const ending = endingChunk(turn);
  if (ending) endBehindSteps(told, ending);
  else if (running && running.round === (turn.rounds.at(-1)?.number ?? 0) + 1) yield* tellRunning(told, turn, running);
}

/**
 * Sends the imported calls as a step before all rounds. Returns whether all were sent, which is certain after the
 * turn's end.
 */
function* tellAdopted(told: Told, turn: Turn): Generator<UiChunk, boolean> {
  if (turn.adopted.length === 0) return true;
  if (told.step.units === 0) {
    told.step.units = 1;
    yield { type: 'start-step' };
  }
  const isWhole = yield* tellCalls(told.step, turn, turn.adopted);
  if (!isWhole) return false;
  told.step = noStep();
  told.isAdoptedWhole = true;
  yield { type: 'finish-step' };
  return true;
}

/**
 * Ends the message. If a limit ended the turn during a round, the message ends with an error, since its text was
 * partly sent.
 */
function endBehindSteps(told: Told, ending: UiChunk): void {
  if (told.step.units > 0 && ending.type === 'finish') supersede(told);
  else told.ending = [ending];
}

/** Sends the chunks of a committed round. Returns whether the round is complete. */
function* tellCommitted(told: Told, turn: Turn, round: Round): Generator<UiChunk, boolean> {
  const { edition } = round;
  const now = { edition, attempt: null, isCommitted: true, pieces: stepPieces(turn, round) };
  if (!(yield* tellSaid(told, now))) return false;
  return yield* tellCalls(told.step, turn, round.calls);
}

/** Sends the chunks of the calls of a step. Returns whether all calls have results. */
function* tellCalls(step: ToldStep, turn: Turn, calls: ToolCall[]): Generator<UiChunk, boolean> {
  const chunks = calls.map((call) => ({ id: call.id, known: callChunks(turn, call) }));
  for (const { id, known } of chunks) yield* tellCall(step, id, known.slice(0, 1));
  for (const { id, known } of chunks) yield* tellCall(step, id, known);
  return calls.every(({ result }) => result !== null);
}

function* tellRunning(told: Told, turn: Turn, running: RunningReply): Generator<UiChunk> {
  const { edition, attempt } = running;
  yield* tellSaid(told, { edition, attempt, isCommitted: false, pieces: runningStepPieces(turn, running) }, running);
}

/** Sends the texts of a round. Returns false if they must wait, or if the stream cannot continue. */
function* tellSaid(told: Told, now: RoundPieces<UiChunk>, running?: RunningReply): Generator<UiChunk, boolean> {
  const keep = (pieces: Piece<UiChunk>[]) => (running ? told.keep(running, pieces) : pieces);
  const outcome = yield* tellRound(told.step, now, keep);
  if (outcome === 'superseded') supersede(told);
  return outcome === 'tell';
}

function* tellCall({ calls }: ToldStep, id: string, known: UiChunk[]): Generator<UiChunk> {
  for (const chunk of known.slice(calls.get(id) ?? 0)) {
    calls.set(id, (calls.get(id) ?? 0) + 1);
    yield chunk;
  }
}

function supersede(told: Told): void {
  told.isSuperseded = true;
  told.ending = [errorChunk(SUPERSEDED)];
}

const SUPERSEDED = {
  code: 'stream_superseded',
  message: 'The model began this reply again, so the received part is outdated. Request the stream again.',
};
