import { Writable } from 'node:stream';
import { errorTypes } from '../../../http/errors.ts';

/** Sends a JSON text to the client. `sent` is called after it is written, with an error if the connection is closed. */
export type SendText = (text: Uint8Array, sent: (error?: Error) => void) => void;

/**
 * Takes the frames of a response's stream in place of Node's response, and sends each event as a message.
 * - `lastEvent`: the type of the event that ends the stream, once sent. Null if the stream ends without such an
 *   event.
 * - `ended`: waits until the client has read all messages.
 */
export type SocketOutlet = Writable & { lastEvent: Promise<string | null>; ended: Promise<void> };

/** Makes the outlet of a response. Each message repeats `streamId`, unless that is empty. */
export function makeSocketOutlet(send: SendText, streamId: string): SocketOutlet {
  const { promise: lastEvent, resolve: setLastEvent } = Promise.withResolvers<string | null>();
  const outlet = new Writable({
    write(frame: Buffer, _, written) {
      const event = eventOf(frame);
      if (!event) return void written();
      send(messageOf(event, streamId), written);
      if (isLastEvent(event.type)) setLastEvent(event.type);
    },
  });
  outlet.on('error', () => {});
  const ended = new Promise<void>((resolve) => outlet.once('close', resolve));
  void ended.then(() => setLastEvent(null));
  return Object.assign(outlet, {
    ...{ lastEvent, ended, writeHead: () => outlet, flushHeaders: () => {} },
  });
}

/** Returns whether an event type ends a stream. */
function isLastEvent(type: string): boolean {
  return type === 'error' || /^response\.(completed|failed|incomplete)$/.test(type);
}

type SocketEvent = { type: string; data: Buffer };

/** Returns the event of a frame. Comments and `[DONE]` have none. */
function eventOf(frame: Buffer): SocketEvent | null {
  const isEvent = frame.subarray(0, EVENT.length).equals(EVENT);
  if (!isEvent) return null;
  const end = frame.indexOf('\n');
  return { type: frame.toString('latin1', EVENT.length, end), data: frame.subarray(end + DATA.length, -2) };
}

const EVENT = Buffer.from('event: ');
const DATA = '\ndata: ';

function messageOf({ type, data }: SocketEvent, streamId: string): Uint8Array {
  const text = type === 'error' ? Buffer.from(JSON.stringify(nested(data))) : data;
  return streamId === ''
    ? text
    : Buffer.concat([Buffer.from(`{"stream_id":${JSON.stringify(streamId)},`), text.subarray(1)]);
}

/** Returns the error that ends a stream in the form that errors have over a WebSocket. */
function nested(data: Buffer) {
  const { code, message, param, sequence_number } = JSON.parse(data.toString()) as Record<string, unknown>;
  const isSuperseded = code === 'stream_superseded';
  const status = isSuperseded ? 400 : 503;
  const error = { type: errorTypes[status], code, message: isSuperseded ? SUPERSEDED : message, param };
  return { type: 'error', status, sequence_number, error };
}

const SUPERSEDED =
  'The model restarted this reply with another text. Discard its events. The response continues: retrieve it by its id, or send the request again if it is not stored.';
