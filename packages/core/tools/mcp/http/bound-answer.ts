import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { startRate } from '../../../bounds/rate.ts';
import { JSON_LIMITS, type JsonScan, scanJson, startJsonScan } from '../../../json.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';

/**
 * Reads an answer within `MCP_BOUNDS` and `JSON_LIMITS`, in turns with other work. In a stream of events, which may be
 * endless, each event has these bounds. Beyond them `refuse` is called, and the body fails.
 * - Why: the SDK reads and parses an answer over HTTP whatever its size.
 * - Gain: no server can fill the memory of a process, or block it.
 * - Ends when the SDK takes a limit for HTTP, as it does for stdio (`maxBufferSize`).
 */
export function boundAnswer(response: Response, refuse: () => void): Response {
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  const body = readInTurns(response.body, isStream ? countEvents() : countAll(), refuse);
  return new Response(body, { status, statusText, headers: [...headers] });
}

/** Bytes of an answer that the SDK is given at a time: so few that their events take less than 20 ms. */
const PIECE_BYTES = 4 * 1024;

/** Passes a body on by pieces, as fast as they are read and within the rate of events. */
function readInTurns(body: ReadableStream<Uint8Array>, count: Count, refuse: () => void): ReadableStream<Uint8Array> {
  const { eventsAtOnce: burst, eventsPerSecond: perSecond } = MCP_BOUNDS;
  const events = startRate({ burst, perSecond });
  const reader = body.getReader();
  let rest: Uint8Array = new Uint8Array();

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    await yieldToEventLoop();
    if (rest.length === 0) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      rest = value;
    }
    const piece = rest.subarray(0, PIECE_BYTES);
    rest = rest.subarray(piece.length);
    const counted = count(piece);
    if (counted === 'too-large') {
      refuse();
      controller.error(new Error('the answer is too large'));
      return reader.cancel();
    }
    await events.pace(counted);
    controller.enqueue(piece);
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

/** Takes a piece. Returns how many events end in it, or that the answer or one of its events is too large. */
type Count = (piece: Uint8Array) => number | 'too-large';

function countAll(): Count {
  const json = startJsonScan();
  let size = 0;
  return (piece) => {
    size += piece.length;
    return isLarge(size, scanJson(json, piece)) ? 'too-large' : 0;
  };
}

const LF = 10;
const CR = 13;

/** An empty line ends an event; pieces may be cut anywhere. */
function countEvents(): Count {
  let json = startJsonScan();
  let size = 0;
  let isEmptyLine = false;

  /** Returns whether an event ends with this line, or with this part of a line. */
  const take = (line: Uint8Array): boolean | 'too-large' => {
    size += line.length;
    if (isLarge(size, scanJson(json, line))) return 'too-large';
    isEmptyLine &&= line.every((byte) => byte === LF || byte === CR);
    if (line.at(-1) !== LF) return false;
    const endsEvent = isEmptyLine;
    if (endsEvent) [size, json] = [0, startJsonScan()];
    isEmptyLine = true;
    // A JSON string ends with its line; an open one in another field must not hide what follows.
    Object.assign(json, { inString: false, isEscaped: false });
    return endsEvent;
  };
  return (piece) => {
    let events = 0;
    for (const line of linesOf(piece)) {
      const taken = take(line);
      if (taken === 'too-large') return taken;
      events += Number(taken);
    }
    return events;
  };
}

/** The lines of a piece with their ends; the last may be a part of a line. */
function* linesOf(piece: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < piece.length; ) {
    const end = piece.indexOf(LF, from);
    const line = piece.subarray(from, end === -1 ? piece.length : end + 1);
    from += line.length;
    yield line;
  }
}

function isLarge(size: number, { deepest, values }: JsonScan): boolean {
  return size > MCP_BOUNDS.answerBytes || deepest > JSON_LIMITS.depth || values > JSON_LIMITS.values;
}
