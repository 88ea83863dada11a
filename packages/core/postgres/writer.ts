import { Socket } from 'node:net';
import postgres from 'postgres';
import { type Host, hostsOf, type Pooler, readPooler } from './hosts.ts';
import { type Address, openSocket, SILENCE_MS } from './open-socket.ts';
import { isTransient } from './retry-transient.ts';

/** The server of a database that takes writes. */
export type Writer = {
  /** Names one host, for the drivers: they read user, password, database and options from it. */
  url: string;
  /** A pooler stands before it: what a session is told does not last beyond a transaction. */
  isPooled: boolean;
  prepares: boolean;
  openSocket(address: Address): Socket;
  /** The same for node-postgres; undefined where there is one host, to which it connects by itself. */
  stream: (() => Socket) | undefined;
  /** Closes every socket of this process to the server, since it takes no writes any more. */
  leave(): void;
};

const writers = new Map<string, Writer>();

/** The writer of a database URL. All parts of a process share that of a URL with several hosts. */
export function writerAt(given: string): Writer {
  const known = writers.get(given);
  if (known) return known;
  const pooler = readPooler(given);
  const hosts = hostsOf(pooler.url);
  if (!hosts) return { ...pooler, openSocket, stream: undefined, leave: () => {} };
  const writer = writerAmong(hosts, pooler);
  writers.set(given, writer);
  return writer;
}

function writerAmong(hosts: Host[], pooler: Pooler): Writer {
  const finder = makeFinder(hosts, pooler.isPooled);
  const sockets = new Set<Socket>();
  const open = () => {
    for (const socket of sockets) if (socket.destroyed) sockets.delete(socket);
    const socket = openSocketTo(finder.find);
    sockets.add(socket);
    return socket;
  };
  return {
    ...pooler,
    url: hosts[0]?.url ?? '',
    openSocket: open,
    stream: open,
    leave: () => {
      finder.forget();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A socket that is returned before its server is known: the drivers have to see a failed connect themselves. */
function openSocketTo(find: () => Promise<Host>): Socket {
  const socket = new Socket();
  const connect = socket.connect.bind(socket);
  // node-postgres connects its stream by itself, to the first host.
  Object.assign(socket, { connecting: true, connect: () => socket });
  find().then(
    ({ host, port }) => {
      if (socket.destroyed) return;
      // postgres.js checks a certificate against this name.
      Object.assign(socket, { host });
      connect({ host, port });
    },
    (error: Error) => socket.destroy(error),
  );
  return socket.setTimeout(SILENCE_MS, () => socket.destroy());
}

const FRESH_MS = 250;
const PROBE_TIMEOUT_S = 2;

type Finder = { find(): Promise<Host>; forget(): void };

function makeFinder(hosts: Host[], isPooled: boolean): Finder {
  let found: { host: Host; at: number } | null = null;
  let finding: Promise<Host> | null = null;
  async function findAnew(): Promise<Host> {
    try {
      const host = await findWriter(hosts, isPooled);
      found = { host, at: performance.now() };
      return host;
    } finally {
      finding = null;
    }
  }
  return {
    find: async () => {
      if (found && performance.now() - found.at < FRESH_MS) return found.host;
      finding ??= findAnew();
      return finding;
    },
    forget: () => {
      found = null;
    },
  };
}

/** Asks all hosts at once, so that one that is away costs no time; the first that takes writes is it. */
async function findWriter(hosts: Host[], isPooled: boolean): Promise<Host> {
  const asked = hosts.map(async (host) => {
    if (await isReadOnly(host, isPooled)) throw takesNoWrites();
    return host;
  });
  try {
    return await Promise.any(asked);
  } catch (error) {
    const reasons = error instanceof AggregateError ? error.errors : [error];
    throw reasons.find(isReadOnlyError) ?? reasons.find(isTransient) ?? reasons[0];
  }
}

/** True of a standby, and of a server whose transactions are read-only by default. */
async function isReadOnly({ url, host, port }: Host, isPooled: boolean): Promise<boolean> {
  const sql = postgres(url, {
    max: 1,
    fetch_types: false,
    connect_timeout: PROBE_TIMEOUT_S,
    onnotice: () => {},
    connection: {
      application_name: 'pawl-probe',
      ...(isPooled ? {} : { statement_timeout: PROBE_TIMEOUT_S * 1_000 }),
    },
    ...{ socket: () => openSocket({ host: [host], port: [port] }, PROBE_TIMEOUT_S * 1_000) },
  });
  try {
    const [row] = await sql.unsafe('show transaction_read_only');
    return row?.transaction_read_only !== 'off';
  } finally {
    void sql.end({ timeout: 0 }).catch(() => {});
  }
}

const READ_ONLY = '25006';

/** Whether a server has refused a write because it is a standby or read-only. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY;
}

function takesNoWrites(): Error {
  return Object.assign(new Error('No PostgreSQL of DATABASE_URL takes writes.'), { code: READ_ONLY });
}
