import postgres from 'postgres';
import type { DatabaseUrls } from '../postgres/hosts.ts';
import { POSTGRES_OPTIONS } from '../postgres/options.ts';
import { SESSION, type SessionSettings } from '../postgres/session.ts';
import { writerAt } from '../postgres/writer.ts';
import type { Pubsub, TurnMessage, WorkerMessage } from './pubsub.ts';
import { makeSubscribers, type Subscribers } from './subscribers.ts';

const CHANNEL = 'pawl_pubsub';
const WORKERS = 'workers';
const PING = 'ping';
const PING_EVERY_MS = 3_000;
const SILENCE_MS = 10_000;

const SETTINGS: SessionSettings = { ...SESSION, statement_timeout: '5000' };

type Envelope = { to: string; message: unknown };

/**
 * Pubsub on Postgres: one NOTIFY channel for everything. One connection publishes, so that messages keep their order. One
 * listens, past any pooler; it is opened anew when not even our own ping arrives.
 */
export function postgresPubsub({ databaseUrl, directUrl = databaseUrl }: DatabaseUrls): Pubsub {
  const subscribers = makeSubscribers<unknown>();
  const publishing = open(databaseUrl);
  const publish = openPublisher(publishing);
  let listener = listen(directUrl, subscribers);
  const watchdog = setInterval(() => {
    publish({ to: PING, message: null });
    if (Date.now() - listener.receivedAt() > SILENCE_MS) {
      listener.close();
      listener = listen(directUrl, subscribers);
    }
  }, PING_EVERY_MS).unref();

  return {
    publishToTurn: (message) => {
      for (const part of splitMessage(message)) publish({ to: part.turnId, message: part });
    },
    publishToWorkers: (message) => publish({ to: WORKERS, message }),
    subscribeToTurn: (turnId, receive) => subscribers.subscribe(turnId, (message) => receive(message as TurnMessage)),
    subscribeToWorkers: (receive) => subscribers.subscribe(WORKERS, (message) => receive(message as WorkerMessage)),
    close: async () => {
      clearInterval(watchdog);
      listener.close();
      await publishing.end({ timeout: 1 });
    },
  };
}

/** One connection, to the server that takes writes: a standby neither notifies nor listens. */
function open(url: string): postgres.Sql {
  const writer = writerAt(url);
  return postgres(writer.url, {
    ...POSTGRES_OPTIONS,
    connection: { application_name: 'pawl-pubsub', ...(writer.isPooled ? {} : SETTINGS) },
    prepare: writer.prepares,
    max: 1,
    // postgres.js takes a socket of ours, although its types do not say so.
    ...{ socket: writer.openSocket },
  });
}

/** Publishes what came up in one turn of the event loop in one statement. */
function openPublisher(sql: postgres.Sql): (envelope: Envelope) => void {
  let waiting: string[] = [];
  const flush = () => {
    const texts = waiting;
    waiting = [];
    sql`select pg_notify(${CHANNEL}, value) from json_array_elements_text(${texts}::json)`.catch(() => {});
  };
  return (envelope) => {
    if (waiting.push(JSON.stringify(envelope)) === 1) setImmediate(flush);
  };
}

/** One connection that listens. When it opens, every subscriber of a turn reads again: earlier messages are lost. */
function listen(url: string, subscribers: Subscribers<unknown>) {
  const sql = open(url);
  let receivedAt = Date.now();
  const receive = (text: string) => {
    receivedAt = Date.now();
    const { to, message }: Envelope = JSON.parse(text);
    subscribers.publish(to, message);
  };
  const wakeAll = () => {
    for (const turnId of subscribers.topics())
      if (turnId !== WORKERS) subscribers.publish(turnId, { kind: 'wake', turnId });
  };
  sql.listen(CHANNEL, receive, wakeAll).catch(() => {});
  return { receivedAt: () => receivedAt, close: () => void sql.end({ timeout: 1 }).catch(() => {}) };
}

/** Characters of a delta that surely fit a NOTIFY payload (8,000 bytes) whatever they are, escapes included. */
const CHUNK_LENGTH = 1_200;

/** A message in chunks small enough for NOTIFY. Deltas are addressed, so a chunk is a delta of its own. */
function splitMessage(message: TurnMessage): TurnMessage[] {
  if (message.kind !== 'event' || !('delta' in message.event) || message.event.delta.length <= CHUNK_LENGTH)
    return [message];
  const { event } = message;
  return chunks(event.delta).map(({ at, text }) => ({
    ...message,
    event: 'offset' in event ? { ...event, delta: text, offset: event.offset + at } : { ...event, delta: text },
  }));
}

function chunks(text: string): { at: number; text: string }[] {
  const parts = [];
  for (let at = 0; at < text.length; at += CHUNK_LENGTH) parts.push({ at, text: text.slice(at, at + CHUNK_LENGTH) });
  return parts;
}
