import postgres from 'postgres';
import type { DatabaseUrls } from '../postgres/hosts.ts';
import { POSTGRES_OPTIONS } from '../postgres/open-socket.ts';
import { SESSION, type SessionSettings } from '../postgres/session.ts';
import { writerAt } from '../postgres/writer.ts';
import type { LiveEvent } from '../turn/event.ts';
import { fitEvent } from './fit-event.ts';
import { gatherWakes, receiveWakes, type Wakes } from './gather-wakes.ts';
import type { Pubsub, TurnMessage, WorkerMessage } from './pubsub.ts';
import { makeSubscribers, type Subscribers } from './subscribers.ts';

const CHANNEL = 'pawl_pubsub';
const WAKES = 'wakes';
const WORKERS = 'workers';
const PING = 'ping';
const PING_EVERY_MS = 3_000;
const SILENCE_MS = 10_000;

const SETTINGS: SessionSettings = { ...SESSION, statement_timeout: '5000' };

type Envelope = { to: string; message: unknown };

/**
 * Opens pubsub on a NOTIFY channel. One connection publishes in order. Another connection listens, and is opened
 * again after silence.
 */
export function postgresPubsub({ databaseUrl, directUrl = databaseUrl }: DatabaseUrls): Pubsub {
  const subscribers = makeSubscribers<unknown>();
  const publishing = open(databaseUrl);
  const publisher = openPublisher(publishing);
  let listener = listen(directUrl, subscribers);
  const watchdog = setInterval(() => {
    publisher.publish({ to: PING, message: null });
    if (!listener.isSilent()) return;
    listener.close();
    listener = listen(directUrl, subscribers);
  }, PING_EVERY_MS).unref();

  return {
    publishToTurn: publisher.publishToTurn,
    publishToWorkers: (message) => publisher.publish({ to: WORKERS, message }),
    subscribeToWakes: (receiver) =>
      subscribers.subscribe(WAKES, (message) => receiveWakes(message as Wakes | null, receiver)),
    receivesWakes: () => listener.isOpen() && !listener.isSilent(),
    subscribeToEvents: (turnId, receive) => subscribers.subscribe(turnId, (message) => receive(message as LiveEvent)),
    subscribeToWorkers: (receive) => subscribers.subscribe(WORKERS, (message) => receive(message as WorkerMessage)),
    close: async () => {
      clearInterval(watchdog);
      listener.close();
      publisher.flush();
      await publishing.end({ timeout: 1 });
    },
  };
}

/** Opens a connection to the server that takes writes, since a standby neither notifies nor listens. */
function open(url: string): postgres.Sql {
  const writer = writerAt(url);
  return postgres(writer.url, {
    ...POSTGRES_OPTIONS,
    connection: { application_name: 'pawl-pubsub', ...(writer.isPooled ? {} : SETTINGS) },
    prepare: writer.prepares,
    max: 1,
    // postgres.js accepts a socket, although its types do not show this.
    ...{ socket: writer.openSocket },
  });
}

/** Publishes the messages of one turn of the event loop in one statement, with all its wakes in one message. */
function openPublisher(sql: postgres.Sql) {
  const wakes = gatherWakes();
  let waiting: string[] = [];
  const flush = () => {
    takeWakes();
    const texts = waiting;
    waiting = [];
    if (texts.length > 0)
      sql`select pg_notify(${CHANNEL}, value) from json_array_elements_text(${texts}::json)`.catch(() => {});
  };
  const plan = () => setImmediate(flush);
  const publish = (envelope: Envelope) => {
    if (waiting.push(JSON.stringify(envelope)) === 1) plan();
  };
  function takeWakes(): void {
    for (const message of wakes.take()) waiting.push(JSON.stringify({ to: WAKES, message }));
  }
  function publishEvent(turnId: string, event: LiveEvent): void {
    // A wake is sent before a later event of its turn.
    if (wakes.has(turnId)) takeWakes();
    for (const message of fitEvent(event)) publish({ to: turnId, message });
  }
  return {
    publish,
    flush,
    publishToTurn: (message: TurnMessage) => {
      if (message.kind === 'event') publishEvent(message.turnId, message.event);
      else if (wakes.add(message)) plan();
    },
  };
}

/** Opens a connection that listens. Whenever it opens, earlier messages may be lost. */
function listen(url: string, subscribers: Subscribers<unknown>) {
  const sql = open(url);
  let isOpen = false;
  let receivedAt = Date.now();
  const receive = (text: string) => {
    receivedAt = Date.now();
    const { to, message }: Envelope = JSON.parse(text);
    subscribers.publish(to, message);
  };
  const opened = () => {
    isOpen = true;
    subscribers.publish(WAKES, null);
  };
  sql.listen(CHANNEL, receive, opened).catch(() => {});
  return {
    isOpen: () => isOpen,
    isSilent: () => Date.now() - receivedAt > SILENCE_MS,
    close: () => void sql.end({ timeout: 1 }).catch(() => {}),
  };
}
