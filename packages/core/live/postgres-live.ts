import postgres from 'postgres';
import { openSocket } from '../open-socket.ts';
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
  let ear = listen(url, hearers);
  const watchdog = setInterval(() => {
    say(speaking, { to: PING, message: null });
    if (Date.now() - ear.heardAt() > SILENCE_MS) {
      ear.close();
      ear = listen(url, hearers);
    }
  }, PING_EVERY_MS).unref();

  return {
    tellWatchers: (message) => {
      for (const part of splitMessage(message)) say(speaking, { to: part.turnId, message: part });
    },
    tellWorkers: (message) => say(speaking, { to: WORKERS, message }),
    watch: (turnId, hear) => hearers.add(turnId, (message) => hear(message as ToWatchers)),
    hearWorkers: (hear) => hearers.add(WORKERS, (message) => hear(message as ToWorkers)),
    close: async () => {
      clearInterval(watchdog);
      ear.close();
      await speaking.end({ timeout: 1 });
    },
  };
}

const BOUNDS = {
  connect_timeout: 5,
  onnotice: () => {},
  connection: { application_name: 'pawl-live', statement_timeout: 5_000 },
  ...({ socket: openSocket } as object),
};

function say(sql: postgres.Sql, said: Said): void {
  sql`select pg_notify(${CHANNEL}, ${JSON.stringify(said)})`.catch(() => {});
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
