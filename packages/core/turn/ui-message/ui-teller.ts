import type { Piece } from '../responses/piece.ts';
import type { RunningReply } from '../responses/running-round.ts';
import { nothingTold, type RoundPieces, type RunningPieces, type ToldRound, tellRound } from '../responses/told.ts';
import type { Round, ToolCall, Turn } from '../turn.ts';
import { callChunks } from './call-chunks.ts';
import { endingChunk, errorChunk, startChunk, type UiChunk } from './chunk.ts';
import { runningStepPieces, stepPieces } from './step-pieces.ts';

/** Tells a turn to one client as a message in chunks, each once and in order (contract-responses R60, R61). */
export type UiTeller = {
  /** What is to be told of the turn as it is now. The reader may stop after any chunk: the next call goes on behind it. */
  tell(turn: Turn, running: RunningReply | undefined): Generator<UiChunk>;
  /** `whole`: the last chunk was told; `superseded`: so was that what came is not so any more (contract-responses R46). */
  end(): 'whole' | 'superseded' | null;
};

/** Begins at the start of the message. */
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

/** `ending` are the chunks that are left, once the end is known: nothing that happens then is told any more. */
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

/** What was told is noted before it is handed out: a reader that stops does not come back to the line behind. */
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

/** The calls that a turn adopted are a step before all rounds; whether they are told whole. They have results once it ended. */
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

/** A turn that ran into a limit ends without the text that its last round had begun: who was told of it has to ask again. */
function endBehindSteps(told: Told, ending: UiChunk): void {
  if (told.step.units > 0 && ending.type === 'finish') supersede(told);
  else told.ending = [ending];
}

/** Tells what is known of a committed round; whether that is all. */
function* tellCommitted(told: Told, turn: Turn, round: Round): Generator<UiChunk, boolean> {
  const { edition } = round;
  const now = { edition, attempt: null, isCommitted: true, pieces: stepPieces(turn, round) };
  if (!(yield* tellSaid(told, now))) return false;
  return yield* tellCalls(told.step, turn, round.calls);
}

/** Tells what is known of the calls of a step; whether that is all. */
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

/** Sends the texts of a round. Returns false if they have to wait, or if the stream cannot continue. */
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
  message: 'The model began this reply again, and what came of it is not so any more. Ask for the stream again.',
};
