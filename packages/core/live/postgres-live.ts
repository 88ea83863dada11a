import postgres from 'postgres';
import { POSTGRES_OPTIONS } from '../postgres-options.ts';
import { type Hearers, makeHearers } from './hearers.ts';
import type { Live, ToWatchers, ToWorkers } from './live.ts';
import { splitMessage } from './split-message.ts';

const CHANNEL = 'pawl_live';
const WORKERS = 'workers';
const PING = 'ping';
const PING_EVERY_MS = 3_000;
const SILENCE_MS = 10_000;

type Said = { to: string; message: unknown };

/**
 * The wire on Postgres: one NOTIFY channel for everything. One connection speaks, so that nothing overtakes; one
 * listens, and is opened anew when it hears not even our own ping.
 */
export function postgresLive(url: string): Live {
  const hearers = makeHearers<unknown>();
  const speaking = postgres(url, { ...BOUNDS, max: 1 });
  const say = speaker(speaking);
  let ear = listen(url, hearers);
  const watchdog = setInterval(() => {
    say({ to: PING, message: null });
    if (Date.now() - ear.heardAt() > SILENCE_MS) {
      ear.close();
      ear = listen(url, hearers);
    }
  }, PING_EVERY_MS).unref();

  return {
    tellWatchers: (message) => {
      for (const part of splitMessage(message)) say({ to: part.turnId, message: part });
    },
    tellWorkers: (message) => say({ to: WORKERS, message }),
    watch: (turnId, hear) => hearers.add(turnId, (message) => hear(message as ToWatchers)),
    hearWorkers: (hear) => hearers.add(WORKERS, (message) => hear(message as ToWorkers)),
    close: async () => {
      clearInterval(watchdog);
      ear.close();
      await speaking.end({ timeout: 1 });
    },
  };
}

const BOUNDS = { ...POSTGRES_OPTIONS, connection: { application_name: 'pawl-live', statement_timeout: 5_000 } };

/** Says what came up in one tick in one statement. */
function speaker(sql: postgres.Sql): (said: Said) => void {
  let waiting: string[] = [];
  const flush = () => {
    const texts = waiting;
    waiting = [];
    sql`select pg_notify(${CHANNEL}, value) from json_array_elements_text(${texts}::json)`.catch(() => {});
  };
  return (said) => {
    if (waiting.push(JSON.stringify(said)) === 1) setImmediate(flush);
  };
}

/** One connection that listens. When it comes up, whoever waits reads again: what was said before is lost. */
function listen(url: string, hearers: Hearers<unknown>) {
  const sql = postgres(url, { ...BOUNDS, max: 1 });
  let heardAt = Date.now();
  const hear = (text: string) => {
    heardAt = Date.now();
    const { to, message }: Said = JSON.parse(text);
    hearers.tell(to, message);
  };
  const wakeAll = () => {
    for (const turnId of hearers.topics()) if (turnId !== WORKERS) hearers.tell(turnId, { kind: 'wake', turnId });
  };
  sql.listen(CHANNEL, hear, wakeAll).catch(() => {});
  return { heardAt: () => heardAt, close: () => void sql.end({ timeout: 1 }).catch(() => {}) };
}
