import type { Readable } from 'node:stream';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import { LARGE_ANSWERS } from '../../../bounds/answer-slots.ts';
import { holdBytes } from '../../../bounds/hold-bytes.ts';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { startRate } from '../../../bounds/rate.ts';
import { exceedsJson, isRecord, parseJson } from '../../../json.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { boundAnswers, cancelledBy, isAnswer } from '../answers.ts';
import { boundResults } from '../bound-results.ts';
import { noteSent, type ReaderSlot, slotOfCall } from '../call-once.ts';
import { tooLarge } from '../error.ts';
import { type FindRequest, tidyMessage } from '../tidy/tidy-message.ts';
import {
  type Command,
  endCommand,
  endGroup,
  hasExited,
  type LocalCommand,
  requireOpen,
  startCommand,
  writeMessage,
} from './command.ts';

/**
 * Starts a command and exchanges lines of JSON with it, within `MCP_BOUNDS`, while it yields to other work.
 * Differences from the SDK's transport:
 * - A bound ends only the command that exceeds it.
 * - Its process group ends with it. Other processes hold its pipes for 2 s at most.
 * - The log does not contain its standard error unchanged.
 */
export function localTransport(local: LocalCommand): Transport {
  const pending: Pending = new Map();
  const answers = boundAnswers();
  const results = boundResults();
  let isClosed = false;
  let command: Command | undefined;

  const transport: Transport = {
    start: async () => {
      command = await startCommand(local);
      if (isClosed) await endCommand(command);
      void readAll(command, deliver).then(end);
    },
    send: (message) => ('method' in message ? ask(message) : answers.send(() => writeMessage(command, message))),
    close: async () => {
      isClosed = true;
      if (command) await endCommand(command);
    },
  };

  async function ask(message: Extract<JSONRPCMessage, { method: string }>): Promise<void> {
    requireOpen(command);
    if (message.method === 'tools/call') noteSent();
    results.noteSent(message);
    if ('id' in message) pending.set(message.id, { method: message.method, slot: slotOfCall() });
    pending.delete(cancelledBy(message) ?? '');
    await writeMessage(command, message);
  }

  /** Passes a message on. It returns a promise for a large answer, which waits for its slot. */
  function deliver(given: Record<string, unknown>, isLarge: boolean): Promise<void> | undefined {
    // The SDK checks the rest of a message.
    const message = tidyMessage(given, findIn(pending)) as JSONRPCMessage;
    const slot = isLarge && isAnswer(message) ? pending.get(message.id ?? '')?.slot : undefined;
    const pass = () => {
      if (isAnswer(message)) {
        results.check(message, pending.get(message.id ?? '')?.method);
        pending.delete(message.id ?? '');
      }
      transport.onmessage?.(message);
    };
    if (slot) return slot.take().then(pass);
    pass();
    return undefined;
  }

  function end(bound: string | null): void {
    const [id, other] = pending.keys();
    if (bound && id !== undefined && other === undefined)
      transport.onmessage?.({ jsonrpc: '2.0', id, error: tooLarge(bound) });
    transport.onclose?.();
  }
  return transport;
}

type Pending = Map<RequestId, { method: string; slot: ReaderSlot }>;

/** Finds the request of an answer. An answer without an id may be to a notification, so it has no request. */
function findIn(pending: Pending): FindRequest {
  return (given) => {
    const id = typeof given === 'string' && /^\d+$/.test(given) && !pending.has(given) ? Number(given) : given;
    if (typeof id !== 'string' && typeof id !== 'number') return undefined;
    const request = pending.get(id);
    return request && { id, method: request.method };
  };
}

type Deliver = (message: Record<string, unknown>, isLarge: boolean) => Promise<void> | undefined;

/** Reads a command until all its messages are delivered. Resolves with the bound that a line exceeded, or null. */
async function readAll(command: Command, deliver: Deliver): Promise<string | null> {
  const waiting = new Set<Promise<void>>();
  let bound: string | null = null;
  try {
    for await (const { message, isLarge } of readMessages(command)) {
      const delivered = deliver(message, isLarge);
      if (!delivered) continue;
      waiting.add(delivered);
      void delivered.then(() => waiting.delete(delivered));
      if (waiting.size >= MCP_BOUNDS.largeLines) await Promise.race(waiting);
    }
  } catch (error) {
    if (error instanceof LineTooLong) bound = error.message;
    if (!hasExited(command)) endGroup(command, 'SIGKILL');
  }
  await Promise.all(waiting);
  return bound;
}

type Parsed = { message: Record<string, unknown>; isLarge: boolean };

/** Yields the messages of a command and omits other lines. Throws `LineTooLong` for a line beyond a bound. */
async function* readMessages({ stdout }: Command): AsyncGenerator<Parsed> {
  const { eventsAtOnce: burst, eventsPerSecond: perSecond } = MCP_BOUNDS;
  const lines = startRate({ burst, perSecond });
  for await (const line of readLines(stdout, MCP_BOUNDS.answerBytes)) {
    await yieldToEventLoop();
    await lines.pace(1);
    const excess = exceedsJson(line, MCP_BOUNDS);
    if (excess) throw new LineTooLong(excess);
    const message = readMessage(line);
    if (message) yield { message, isLarge: line.length > LARGE_ANSWERS.bytes };
  }
}

/** The error for a line of a stream that exceeds a bound. Its message names the bound: `more than 8 MiB`. */
class LineTooLong extends Error {}

const LF = 10;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads whole lines on demand. Throws `LineTooLong` once a line has more than `maxBytes`. */
async function* readLines(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  const tooLong = () => new LineTooLong(`more than ${maxBytes / 1024 / 1024} MiB`);
  const held = holdBytes();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let rest = chunk;
    for (let end = rest.indexOf(LF); end !== -1; end = rest.indexOf(LF)) {
      if (held.size() + end > maxBytes) throw tooLong();
      yield utf8.decode(held.release(rest.subarray(0, end)));
      rest = rest.subarray(end + 1);
    }
    held.hold(rest);
    if (held.size() > maxBytes) throw tooLong();
  }
}

const BEGINNING = /\{\s*"(?:jsonrpc|id|result|error|method)"\s*:/;

/** Reads the message in a line. Some commands write a byte order mark or a text of their log before it. */
function readMessage(line: string): Record<string, unknown> | null {
  const whole = parseJson(line);
  if (isRecord(whole)) return whole;
  if (whole !== undefined) return null;
  const at = line.search(BEGINNING);
  const rest = at > 0 ? parseJson(line.slice(at)) : undefined;
  return isRecord(rest) && rest.jsonrpc === '2.0' ? rest : null;
}
