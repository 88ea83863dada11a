import type { Receive } from './open-tap.ts';

/** The statements of the product's own connections, without those of the queue and of pubsub. */
export type SentStatements = {
  /** The settings that the product gives its sessions. */
  settings: Record<string, string>;
  /** The text of each statement, in the order of their execution. */
  executed: string[];
  /**
   * The bytes, without those that prepare a statement: a statement is prepared on each connection that has not run
   * it.
   */
  bytes: number;
};

/** The `application_name` of the product's own connections. */
const PRODUCT = 'pawl';

/** Reads the messages that clients send to PostgreSQL. `accept` is called for each connection. */
export function readStatements(): { sent: SentStatements; accept: () => Receive } {
  const sent: SentStatements = { settings: {}, executed: [], bytes: 0 };
  return { sent, accept: () => readConnection(sent) };
}

function readConnection(sent: SentStatements): Receive {
  let unread = Buffer.alloc(0);
  let read: ReadMessage | null = null;
  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    for (let end = endOf(unread, read); end <= unread.length; end = endOf(unread, read)) {
      const message = unread.subarray(0, end);
      unread = unread.subarray(end);
      if (read) read(message);
      else read = start(message, sent);
    }
  };
}

/** Returns the end of the first message. The first message of a connection has no type. */
function endOf(unread: Buffer, read: ReadMessage | null): number {
  const at = read ? TYPE_BYTES : 0;
  return unread.length < at + LENGTH_BYTES ? Number.POSITIVE_INFINITY : at + unread.readInt32BE(at);
}

type ReadMessage = (message: Buffer) => void;

function start(message: Buffer, sent: SentStatements): ReadMessage {
  const { application_name: name, ...settings } = readSettings(message);
  if (name !== PRODUCT) return () => {};
  sent.settings = settings;
  const prepared = new Map<string, string>();
  return (message) => {
    const type = String.fromCharCode(message[0] ?? 0);
    const [first = '', second = ''] = message.toString('utf8', TYPE_BYTES + LENGTH_BYTES).split('\0', 2);
    if (type === 'P') prepared.set(first, second);
    if (type === 'B') sent.executed.push(prepared.get(second) ?? '');
    if (type === 'Q') sent.executed.push(first);
    if (!PREPARING.has(type)) sent.bytes += message.length;
  };
}

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
const VERSION_BYTES = 4;

/** Parse, Describe and Flush. */
const PREPARING = new Set(['P', 'D', 'H']);

/** Reads the first message of a connection: its length, the version of the protocol, then names and values. */
function readSettings(message: Buffer): Record<string, string> {
  const texts = message.toString('utf8', LENGTH_BYTES + VERSION_BYTES).split('\0');
  const pairs = texts.flatMap((text, at) => (at % 2 === 0 && text !== '' ? [[text, texts[at + 1] ?? '']] : []));
  const { user: _user, database: _database, client_encoding: _encoding, ...settings } = Object.fromEntries(pairs);
  return settings;
}
