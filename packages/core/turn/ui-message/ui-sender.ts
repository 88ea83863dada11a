import { type Piece, sizeOfPieces } from '../responses/piece.ts';
import type { RunningReply } from '../responses/running-round.ts';
import { nothingSent, type RoundPieces, type RunningPieces, type SentRound, sendRound } from '../responses/sent.ts';
import type { Round, ToolCall, Turn } from '../turn.ts';
import { callChunks } from './call-chunks.ts';
import { endingChunk, errorChunk, startChunk, type UiChunk } from './chunk.ts';
import { sourceChunks } from './hosted-chunks.ts';
import { decideHosted, type LatestHosted, noHosted, type SentHosted, sendHosted } from './sent-hosted.ts';
import { headOf, isThinking, runningStepPieces, stepPieces } from './step-pieces.ts';

/** Sends a turn to one client as a message in chunks, each once and in order. */
export type UiSender = {
  /** Yields the new chunks to send. The reader may stop after any chunk. The next call continues after it. */
  send(turn: Turn, running: RunningReply | undefined): Generator<UiChunk>;
  /** `whole`: the last chunk was sent. `superseded`: an error for superseded text was sent last. */
  end(): 'whole' | 'superseded' | null;
};

/** Makes the sender of one stream, which begins with the first chunk. */
export function makeUiSender(keep: RunningPieces<UiChunk> = (_, pieces) => pieces): UiSender {
  const progress: Progress = {
    keep,
    hasBegun: false,
    isAdoptedWhole: false,
    steps: 0,
    step: noStep(),
    ending: null,
    isSuperseded: false,
  };
  return {
    send: (turn, running) => sendNext(progress, turn, running),
    end: () => (progress.ending?.length === 0 ? (progress.isSuperseded ? 'superseded' : 'whole') : null),
  };
}

/** `ending` has the remaining chunks once the end is known. Later changes of the turn are not sent. */
type Progress = {
  keep: RunningPieces<UiChunk>;
  hasBegun: boolean;
  isAdoptedWhole: boolean;
  steps: number;
  step: SentStep;
  ending: UiChunk[] | null;
  isSuperseded: boolean;
};

/** The part of a step that was sent: units of its round, chunks of hosted calls, of sources and of each call. */
type SentStep = SentRound<UiChunk> & { hosted: SentHosted; sources: number; calls: Map<string, number> };

function noStep(): SentStep {
  return { ...nothingSent<UiChunk>(), hosted: noHosted(), sources: 0, calls: new Map() };
}

/** Changes the state before it yields a chunk, since a reader that stops never reaches the code after the `yield`. */
function* sendNext(progress: Progress, turn: Turn, running: RunningReply | undefined): Generator<UiChunk> {
  if (!progress.hasBegun) {
    progress.hasBegun = true;
    yield startChunk(turn);
  }
  if (!progress.ending) yield* sendSteps(progress, turn, running);
  for (let last = progress.ending?.shift(); last; last = progress.ending?.shift()) yield last;
}

function* sendSteps(progress: Progress, turn: Turn, running: RunningReply | undefined): Generator<UiChunk> {
  if (!progress.isAdoptedWhole && !(yield* sendAdopted(progress, turn))) return;
  for (let round = turn.rounds[progress.steps]; round; round = turn.rounds[progress.steps]) {
    const isWhole = yield* sendCommitted(progress, turn, round);
    if (progress.ending) return;
    const ending = endingChunk(turn);
    if (!isWhole && ending) progress.ending = [{ type: 'finish-step' }, ending];
    if (!isWhole) return;
    progress.steps += 1;
    progress.step = noStep();
    yield { type: 'finish-step' };
  }
  const ending = endingChunk(turn);
  if (ending) endAfterSteps(progress, ending);
  else if (running && running.round === (turn.rounds.at(-1)?.number ?? 0) + 1)
    yield* sendRunning(progress, turn, running);
}

/**
 * Sends the adopted calls as a step before all rounds. Returns whether all were sent, which is certain after the
 * turn's end.
 */
function* sendAdopted(progress: Progress, turn: Turn): Generator<UiChunk, boolean> {
  if (turn.adopted.length === 0) return true;
  if (progress.step.units === 0) {
    progress.step.units = 1;
    yield { type: 'start-step' };
  }
  const isWhole = yield* sendCalls(progress.step, turn, turn.adopted);
  if (!isWhole) return false;
  progress.step = noStep();
  progress.isAdoptedWhole = true;
  yield { type: 'finish-step' };
  return true;
}

/**
 * Ends the message. If a limit ended the turn during a round, the message ends with an error, since its text was
 * partly sent.
 */
function endAfterSteps(progress: Progress, ending: UiChunk): void {
  if (progress.step.units > 0 && ending.type === 'finish') supersede(progress);
  else progress.ending = [ending];
}

/** Sends the chunks of a committed round. Returns whether the round is complete. */
function* sendCommitted(progress: Progress, turn: Turn, round: Round): Generator<UiChunk, boolean> {
  const { draft } = round;
  const now = { draft, attempt: null, isCommitted: true, pieces: stepPieces(turn, round) };
  const hosted = { round: round.number, draft, attempt: null, calls: round.hosted?.calls ?? [] };
  if (!(yield* sendReply(progress, now, hosted))) return false;
  yield* sendSources(progress.step, round);
  return yield* sendCalls(progress.step, turn, round.calls);
}

/** Sends the chunks of the calls of a step. Returns whether all calls have results. */
function* sendCalls(step: SentStep, turn: Turn, calls: ToolCall[]): Generator<UiChunk, boolean> {
  const chunks = calls.map((call) => ({ id: call.id, known: callChunks(turn, call) }));
  for (const { id, known } of chunks) yield* sendCall(step, id, known.slice(0, 1));
  for (const { id, known } of chunks) yield* sendCall(step, id, known);
  return calls.every(({ result }) => result !== null);
}

function* sendRunning(progress: Progress, turn: Turn, running: RunningReply): Generator<UiChunk> {
  const { round, draft, attempt, hosted } = running;
  const now = { draft, attempt, isCommitted: false, pieces: runningStepPieces(turn, running) };
  yield* sendReply(progress, now, { round, draft, attempt, calls: hosted, running });
}

/**
 * Sends the reasoning, the hosted calls and the text of a round. A call that starts during a text is sent beside it.
 * Returns false if the rest must wait, or if the stream cannot continue.
 */
function* sendReply(
  progress: Progress,
  now: RoundPieces<UiChunk>,
  { running, ...hosted }: LatestHosted & { running?: RunningReply },
): Generator<UiChunk, boolean> {
  const { step } = progress;
  const decision = decideHosted(step.hosted, hosted);
  if (decision === 'superseded') supersede(progress);
  if (decision !== 'send') return false;
  const head = headOf(now.pieces);
  const isHeadSent = step.units >= sizeOfPieces(head);
  if (!isHeadSent && !(yield* sendTexts(progress, { ...now, pieces: head }, running))) return false;
  if (step.units > 0 && !isThinking(now.pieces)) yield* sendHosted(step.hosted, hosted);
  return yield* sendTexts(progress, now, running);
}

/** Sends the sources and the images of a round. */
function* sendSources(step: SentStep, round: Round): Generator<UiChunk> {
  for (const chunk of sourceChunks(round).slice(step.sources)) {
    step.sources += 1;
    yield chunk;
  }
}

/** Sends the texts of a round. Returns false if they must wait, or if the stream cannot continue. */
function* sendTexts(
  progress: Progress,
  now: RoundPieces<UiChunk>,
  running?: RunningReply,
): Generator<UiChunk, boolean> {
  const keep = (pieces: Piece<UiChunk>[]) => (running ? progress.keep(running, pieces) : pieces);
  const outcome = yield* sendRound(progress.step, now, keep);
  if (outcome === 'superseded') supersede(progress);
  return outcome === 'send';
}

function* sendCall({ calls }: SentStep, id: string, known: UiChunk[]): Generator<UiChunk> {
  for (const chunk of known.slice(calls.get(id) ?? 0)) {
    calls.set(id, (calls.get(id) ?? 0) + 1);
    yield chunk;
  }
}

function supersede(progress: Progress): void {
  progress.isSuperseded = true;
  progress.ending = [errorChunk(SUPERSEDED)];
}

const SUPERSEDED = {
  code: 'stream_superseded',
  message: 'The model began this reply again, so the received part is outdated. Request the stream again.',
};
