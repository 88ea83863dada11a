import { completionFinish } from '#core/turn/completions/completion-message.ts';
import type { CompletionDelta } from '#core/turn/completions/completion-pieces.ts';
import {
  type CompletionOutcome,
  type CompletionSender,
  makeCompletionSender,
} from '#core/turn/completions/completion-sender.ts';
import { completionHead, completionUsage } from '#core/turn/completions/present-completion.ts';
import type { LatestDraft } from '#core/turn/responses/events.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import { type EventStream, type JoinedStream, joinWatch, type Sink } from '../../../stream/joined-stream.ts';
import { runningRound } from '../../../stream/running-round.ts';
import { makeSharedPieces } from '../../../stream/shared/shared-pieces.ts';
import type { TurnWatch } from '../../../stream/turn-watch.ts';
import type { WatchedTurn } from '../../../stream/watched-turn.ts';
import { failureOf } from '../../responses/creating/answer-ended.ts';
import { DONE, HEARTBEAT } from '../../responses/stream/event-frame.ts';

/**
 * The sink of a stream, and its options.
 * - `isCommitted`: text is sent after its round is committed.
 * - `current`: the latest draft number of the turn that the request read.
 * - `showAnswer`: runs before the last chunk is sent.
 */
export type CompletionStart = ChunkOptions & {
  sink: Sink;
  isCommitted: boolean;
  current: LatestDraft | null;
  showAnswer(turn: Turn): Promise<void>;
};

/**
 * Streams a completion from its start: committed rounds when they are read, the text and reasoning of the running
 * round live. A slow client costs no memory.
 */
export function followCompletion(watch: TurnWatch, { sink, ...start }: CompletionStart): EventStream {
  const sender = makeCompletionSender((running, pieces) => sharePieces(watch.watched, running, pieces));
  return joinWatch(watch, sink, (joined) => {
    const stream: Stream = { ...start, watched: watch.watched, sender, joined, hasBegun: false, isShown: false };
    return {
      send: () => sendKnown(stream),
      heartbeat: HEARTBEAT,
      refusal: (refused) => errorFrame(refused),
      // Without a last frame, clients would mistake the text so far for the whole answer.
      farewell: Buffer.from(errorFrame(STOPPING)),
    };
  });
}

const sharePieces = makeSharedPieces<CompletionDelta>();

const STOPPING = {
  code: 'server_stopping',
  message:
    'This server is stopping. The completion continues. Retrieve it, or send the request again with its Idempotency-Key.',
};

const SUPERSEDED = {
  code: 'stream_superseded',
  message:
    'The model restarted this reply with another text. The completion continues. Discard the text so far. Retrieve the completion, or send the request again with its Idempotency-Key.',
};

type Stream = Omit<CompletionStart, 'sink'> & {
  watched: WatchedTurn;
  sender: CompletionSender;
  joined: JoinedStream;
  hasBegun: boolean;
  isShown: boolean;
};

/**
 * Sends the known deltas, as far as there is room. Returns a promise if the answer is complete, because its hash is
 * stored first.
 */
function sendKnown(stream: Stream): Promise<void> | undefined {
  const { watched, sender, joined } = stream;
  const { known } = watched;
  if (!known || !joined.hasRoom()) return undefined;
  if (!stream.hasBegun) joined.write(roleFrame(known, stream));
  stream.hasBegun = true;
  const running = stream.isCommitted ? undefined : runningRound(watched, stream.current);
  for (const delta of sender.send(known, running)) {
    joined.write(bytesOf(stream, known, delta));
    if (!joined.hasRoom()) return undefined;
  }
  const end = sender.end();
  if (end === 'whole' && !stream.isShown) return showAnswer(stream, known);
  if (end) joined.end(lastFrame(stream, known, end));
  return undefined;
}

async function showAnswer(stream: Stream, known: Turn): Promise<void> {
  await stream.showAnswer(known);
  stream.isShown = true;
}

/** Streams at the same position share the bytes of a chunk. */
function bytesOf({ watched, includeUsage }: Stream, known: Turn, delta: CompletionDelta): Uint8Array {
  const key = `completion ${delta.type} ${'index' in delta ? delta.index : ''} ${includeUsage}`;
  return watched.renderings.bytesOf(key, delta, () => deltaFrame(known, delta, { includeUsage }));
}

function lastFrame(options: ChunkOptions, known: Turn, end: CompletionOutcome): string {
  switch (end) {
    case 'whole':
      return finishFrame(known, options) + DONE.toString();
    case 'failed':
      return errorFrame(isTerminal(known.status) && known.error ? failureOf(known.error) : STOPPING);
    case 'superseded':
      return errorFrame(SUPERSEDED);
  }
}

/** With `includeUsage`, the stream ends with a chunk of the usage, and the other chunks have a `usage` of null. */
type ChunkOptions = { includeUsage: boolean };

/** Writes the first chunk of a stream, which has the role. */
function roleFrame(turn: Turn, options: ChunkOptions): string {
  return chunkFrame(turn, { delta: { role: 'assistant', content: '' } }, options);
}

/** Writes the chunk of one delta. */
function deltaFrame(turn: Turn, delta: CompletionDelta, options: ChunkOptions): string {
  return chunkFrame(turn, { delta: fieldsOf(delta) }, options);
}

/** Writes the chunk with the `finish_reason`, and the chunk of the usage if the request asked for it. */
function finishFrame(turn: Turn, options: ChunkOptions): string {
  const finish = chunkFrame(turn, { delta: {}, finish_reason: completionFinish(turn) }, options);
  if (!options.includeUsage) return finish;
  return finish + frame({ ...chunkHead(turn), choices: [], usage: completionUsage(turn) });
}

/** Writes the last frame of a stream that cannot continue. No `[DONE]` follows. */
function errorFrame({ code, message, type = 'server_error' }: StreamError): string {
  return frame({ error: { message, type, param: null, code } });
}

type StreamError = { code: string; message: string; type?: string };

type Choice = { delta: Record<string, unknown>; finish_reason?: string | null };

function chunkFrame(turn: Turn, { delta, finish_reason = null }: Choice, { includeUsage }: ChunkOptions): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
  return frame({ ...chunkHead(turn), choices, ...(includeUsage && { usage: null }) });
}

function chunkHead(turn: Turn) {
  return { ...completionHead(turn), object: 'chat.completion.chunk' };
}

function fieldsOf(delta: CompletionDelta): Record<string, unknown> {
  switch (delta.type) {
    case 'tool_call':
      return { tool_calls: [{ index: delta.index, ...delta.call }] };
    case 'function_call':
      return { function_call: delta.call };
    default:
      return { [delta.type]: delta.delta };
  }
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
