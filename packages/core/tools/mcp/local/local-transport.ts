import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { startRate } from '../../../bounds/rate.ts';
import { LineTooLong, readLines } from '../../../bounds/read-lines.ts';
import { exceedsJson, isRecord, parseJson } from '../../../json.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { noteSent } from '../call-once.ts';
import { boundAnswers, cancelledBy, TOO_LARGE } from '../messages.ts';
import { type Command, endCommand, endGroup, type LocalCommand, startCommand, writeMessage } from './command.ts';

/**
 * Starts a command and exchanges lines of JSON with it, within `MCP_BOUNDS` and in turns with other work. Differs from the
 * SDK's transport:
 * - A command that exceeds a bound ends, and nothing else does.
 * - Its exit is noticed at once, even if another process holds its pipes. Its process group ends with it.
 * - Its standard error does not go into the log as it is.
 */
export function localTransport(local: LocalCommand): Transport {
  const pending = new Set<RequestId>();
  const answers = boundAnswers();
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
    if ('id' in message) pending.add(message.id);
    pending.delete(cancelledBy(message) ?? '');
    await writeMessage(command, message);
  }

  async function serve(running: Command): Promise<void> {
    try {
      for await (const message of readMessages(running)) {
        if ('id' in message && message.id !== undefined && !('method' in message)) pending.delete(message.id);
        transport.onmessage?.(message);
      }
    } catch (error) {
      const [id, other] = pending;
      // Of several requests it is unknown which was answered: they are lost with their connection.
      if (error instanceof LineTooLong && id !== undefined && other === undefined)
        transport.onmessage?.({ jsonrpc: '2.0', id, error: TOO_LARGE });
      endGroup(running, 'SIGKILL');
      onClose();
    }
  }

  function onClose(): void {
    if (!isClosed) transport.onclose?.();
    isClosed = true;
  }
  return transport;
}

/** The messages of a command; other lines are left out. Throws `LineTooLong` for a line that is not read. */
async function* readMessages({ stdout }: Command): AsyncGenerator<JSONRPCMessage> {
  const { eventsAtOnce: burst, eventsPerSecond: perSecond } = MCP_BOUNDS;
  const lines = startRate({ burst, perSecond });
  for await (const line of readLines(stdout, MCP_BOUNDS.answerBytes)) {
    await yieldToEventLoop();
    await lines.pace(1);
    if (exceedsJson(line)) throw new LineTooLong();
    const message = parseJson(line);
    // The SDK checks the rest of a message.
    if (isRecord(message)) yield message as JSONRPCMessage;
  }
}
