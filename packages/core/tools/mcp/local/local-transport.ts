import type { JSONRPCMessage, JSONRPCResponse, RequestId, Transport } from '@modelcontextprotocol/client';
import { LARGE_ANSWERS } from '../../../bounds/answer-places.ts';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { startRate } from '../../../bounds/rate.ts';
import { LineTooLong, readLines } from '../../../bounds/read-lines.ts';
import { exceedsJson, isRecord, parseJson } from '../../../json.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { boundAnswers, isAnswer } from '../answers.ts';
import { boundResults } from '../bound-results.ts';
import { noteSent, placeTaker } from '../call-once.ts';
import { cancelledBy } from '../cancelled-by.ts';
import { tooLarge } from '../error.ts';
import { type Command, endCommand, endGroup, type LocalCommand, startCommand, writeMessage } from './command.ts';

/**
 * Starts a command and exchanges lines of JSON with it, within `MCP_BOUNDS` and in turns with other work. Differs from the
 * SDK's transport:
 * - A command that exceeds a bound ends, and nothing else does.
 * - Its exit is noticed at once, even if another process holds its pipes. Its process group ends with it.
 * - Its standard error does not go into the log as it is.
 */
export function localTransport(local: LocalCommand): Transport {
  /** Requests that wait for an answer, and how a large answer gets its place. */
  const pending = new Map<RequestId, () => Promise<void>>();
  const answers = boundAnswers();
  const results = boundResults();
  let isClosed = false;
  let command: Command | undefined;

  const transport: Transport = {
    start: async () => {
      command = await startCommand(local);
      command.once('close', onClose);
      void serve(command);
    },
    send: (message) => ('method' in message ? ask(message) : answers.send(() => writeMessage(command, message))),
    close: async () => {
      if (command) await endCommand(command);
    },
  };

  async function ask(message: Extract<JSONRPCMessage, { method: string }>): Promise<void> {
    if (message.method === 'tools/call') noteSent();
    results.noteSent(message);
    if ('id' in message) pending.set(message.id, placeTaker());
    pending.delete(cancelledBy(message) ?? '');
    await writeMessage(command, message);
  }

  async function serve(running: Command): Promise<void> {
    try {
      for await (const { message, isLarge } of readMessages(running)) {
        if (isAnswer(message)) await settle(message, isLarge);
        transport.onmessage?.(message);
      }
    } catch (error) {
      const [id, other] = pending.keys();
      // Of several requests it is unknown which was answered: they are lost with their connection.
      if (error instanceof LineTooLong && id !== undefined && other === undefined)
        transport.onmessage?.({ jsonrpc: '2.0', id, error: tooLarge(error.message) });
      endGroup(running, 'SIGKILL');
      onClose();
    }
  }

  async function settle(answer: JSONRPCResponse, isLarge: boolean): Promise<void> {
    const id = answer.id ?? '';
    if (isLarge) await pending.get(id)?.();
    pending.delete(id);
    results.check(answer);
  }

  function onClose(): void {
    if (!isClosed) transport.onclose?.();
    isClosed = true;
  }
  return transport;
}

/** The messages of a command; other lines are left out. Throws `LineTooLong` for a line that is not read. */
async function* readMessages({ stdout }: Command): AsyncGenerator<{ message: JSONRPCMessage; isLarge: boolean }> {
  const { eventsAtOnce: burst, eventsPerSecond: perSecond } = MCP_BOUNDS;
  const lines = startRate({ burst, perSecond });
  for await (const line of readLines(stdout, MCP_BOUNDS.answerBytes)) {
    await yieldToEventLoop();
    await lines.pace(1);
    const excess = exceedsJson(line, MCP_BOUNDS);
    if (excess) throw new LineTooLong(excess);
    const message = parseJson(line);
    // The SDK checks the rest of a message.
    if (isRecord(message)) yield { message: message as JSONRPCMessage, isLarge: line.length > LARGE_ANSWERS.bytes };
  }
}
