import { LARGE_ANSWERS } from '../../../bounds/answer-slots.ts';
import { holdBytes } from '../../../bounds/hold-bytes.ts';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import type { Rate } from '../../../bounds/rate.ts';
import { excessOf, scanJson, startJsonScan } from '../../../json.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import type { ReaderSlot } from '../call-once.ts';
import type { WaitingRequest } from '../tidy/tidy-message.ts';
import { isEmptyLine, startEventLines } from './event-lines.ts';

/**
 * Reading calls `refuse` beyond a bound, takes `slot` before a large answer, and paces `events` of a stream.
 */
export type Reading = {
  refuse(bound: string): void;
  slot: ReaderSlot;
  events: Pick<Rate, 'pace'>;
  request?: WaitingRequest | undefined;
};

/**
 * Reads an answer within `MCP_BOUNDS` and yields to other work. In a stream of events, which may be endless, each
 * event has these bounds. Beyond a bound it calls `refuse` with the bound, and the body fails.
 * - Why: the SDK reads and parses an answer over HTTP of any size.
 * - Gain: no server can fill the memory of a process, or block it.
 * - Ends when the SDK takes a limit for HTTP, as it does for stdio (`maxBufferSize`).
 */
export function boundAnswer(response: Response, reading: Reading): Response {
  if (!response.body) return response;
  const { status, headers } = response;
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  const pieces = isStream ? readEvents(response.body, reading) : readWhole(response.body, reading);
  return answerWith(status, { headers: [...headers], body: ReadableStream.from(pieces) });
}

/** Makes an answer of any status. The constructor of `Response` throws if the status is above 599. */
function answerWith(
  status: number,
  { headers, body }: { headers: [string, string][]; body: ReadableStream },
): Response {
  const answer = new Response(body, { status: Math.min(status, 599), headers });
  if (status > 599) Object.defineProperty(answer, 'status', { value: status });
  return answer;
}

async function* readWhole(body: AsyncIterable<Uint8Array>, reading: Reading): AsyncGenerator<Uint8Array> {
  const size = startSize(reading);
  for await (const chunk of body) {
    await yieldToEventLoop();
    size.add(chunk);
    if (size.isLarge()) await reading.slot.take();
    yield chunk;
  }
}

/** The most events that the SDK gets at a time, so that it needs less than 20 ms for them. */
const EVENTS_AT_ONCE = 100;
const LF = 10;
const CR = 13;

/**
 * Passes on whole lines within the rate of events, since the SDK would scan a line again for each of its parts. Omits
 * comments and unknown lines, since its parser makes an error of each in 10 µs.
 */
async function* readEvents(body: AsyncIterable<Uint8Array>, reading: Reading): AsyncGenerator<Uint8Array> {
  const size = startSize(reading);
  const endLines = lineEnds();
  const begun = holdBytes();
  const lines = startEventLines(reading.request);
  let events = 0;

  const addLine = (line: Uint8Array) => {
    const isLast = isEmptyLine(line);
    events += isLast ? 1 : WEIGHT_OF_LINE;
    lines.add(line);
    size.endLine(isLast && !lines.isJson());
  };
  async function* pass(): AsyncGenerator<Uint8Array> {
    await yieldToEventLoop();
    await reading.events.pace(events);
    events = 0;
    if (lines.size() > 0) yield lines.release();
  }
  for await (const chunk of body) {
    for (const part of linesOf(endLines(chunk))) {
      size.add(part);
      if (size.isLarge()) await reading.slot.take();
      if (part.at(-1) === LF) addLine(begun.release(part));
      else begun.hold(part);
      if (events >= EVENTS_AT_ONCE) yield* pass();
    }
    yield* pass();
  }
  lines.end(begun.release());
  yield* pass();
}

const WEIGHT_OF_LINE = 1 / 50;

/** Replaces each CR without LF by LF. A chunk may end between CR and LF. */
function lineEnds(): (chunk: Uint8Array) => Uint8Array {
  let endedWithCr = false;
  return (chunk) => {
    const rest = endedWithCr && chunk[0] === LF ? chunk.subarray(1) : chunk;
    endedWithCr = rest.at(-1) === CR;
    if (!rest.includes(CR)) return rest;
    return Uint8Array.from(rest, (byte, at) => (byte === CR && rest[at + 1] !== LF ? LF : byte));
  };
}

/** Yields the lines of a chunk with their ends. The last may be a part of a line. */
function* linesOf(chunk: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < chunk.length; ) {
    const end = chunk.indexOf(LF, from);
    const line = chunk.subarray(from, end === -1 ? chunk.length : end + 1);
    from += line.length;
    yield line;
  }
}

function startSize({ refuse, slot }: Reading) {
  let json = startJsonScan();
  let bytes = 0;

  return {
    add(part: Uint8Array): void {
      bytes += part.length;
      const bound = bytes > MCP_BOUNDS.answerBytes ? TOO_MANY_BYTES : excessOf(scanJson(json, part), MCP_BOUNDS);
      if (!bound) return;
      refuse(bound);
      throw new Error(bound);
    },
    isLarge: () => bytes > LARGE_ANSWERS.bytes,
    /** Ends the open JSON string of a line, so that a string in another field does not hide later lines. */
    endLine: (isLast: boolean) => {
      Object.assign(json, { inString: false, isEscaped: false });
      if (!isLast) return;
      if (bytes > LARGE_ANSWERS.bytes) slot.arrived();
      [bytes, json] = [0, startJsonScan()];
    },
  };
}

const TOO_MANY_BYTES = `more than ${MCP_BOUNDS.answerBytes / 1024 / 1024} MiB`;
