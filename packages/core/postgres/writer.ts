import { Socket } from 'node:net';
import postgres from 'postgres';
import { type Host, hostsOf, type Pooler, readPooler } from './hosts.ts';
import { type Address, closeWhenSilent, openSocket, type Silence } from './open-socket.ts';
import { isTransient } from './retry-transient.ts';

/** The server of a database that takes writes. */
export type Writer = {
  /** A URL with one host, for the drivers. They read user, password, database and options from the URL. */
  url: string;
  /** Whether a pooler is before the server. Session settings then last only for a transaction. */
  isPooled: boolean;
  prepares: boolean;
  openSocket(address: Address, silence?: Silence): Socket;
  /** A socket for node-postgres. Undefined for a URL with one host, to which node-postgres connects itself. */
  stream: (() => Socket) | undefined;
  /** Closes every socket of this process to the server, since the server no longer takes writes. */
  leave(): void;
};

const writers = new Map<string, Writer>();

/** Returns the writer of a database URL. All parts of a process share the writer of a URL with several hosts. */
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
  const open = (silence?: Silence) => {
    for (const socket of sockets) if (socket.destroyed) sockets.delete(socket);
    const socket = openSocketTo(finder.find, silence);
    sockets.add(socket);
    return socket;
  };
  return {
    ...pooler,
    url: hosts[0]?.url ?? '',
    openSocket: (_, silence) => open(silence),
    stream: () => open(),
    leave: () => {
      finder.forget();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns a socket before its server is known, since the drivers have to see a failed connect themselves. */
function openSocketTo(find: () => Promise<Host>, silence?: Silence): Socket {
  const socket = new Socket();
  const connect = socket.connect.bind(socket);
  // node-postgres connects its stream itself, to the first host.
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
  return closeWhenSilent(socket, silence);
}

const FRESH_MS = 250;
const PROBE_TIMEOUT_S = 2;
const PROBE_SILENCE = { afterMs: PROBE_TIMEOUT_S * 1_000 };

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

/** Asks all hosts at once, so that an absent host costs no time. Returns the first host that takes writes. */
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

/** Returns true for a standby, and for a server with read-only transactions by default. */
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
    ...{ socket: () => openSocket({ host: [host], port: [port] }, PROBE_SILENCE) },
  });
  try {
    const [row] = await sql.unsafe('show transaction_read_only');
    return row?.transaction_read_only !== 'off';
  } finally {
    void sql.end({ timeout: 0 }).catch(() => {});
  }
}

const READ_ONLY = '25006';

/** Returns whether a server refused a write because it is a standby or read-only. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY;
}

function takesNoWrites(): Error {
  return Object.assign(new Error('No PostgreSQL of DATABASE_URL takes writes.'), { code: READ_ONLY });
}
