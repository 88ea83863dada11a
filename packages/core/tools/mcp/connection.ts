import { setTimeout as wait } from 'node:timers/promises';
import type { McpConnection } from './connect.ts';
import { readMcpError, SessionForgotten } from './error.ts';

/** The connection to a server, shared by all calls. */
export type KeptConnection = {
  /** Connects if needed and runs `work` once. Rejects as either does, with `SessionForgotten`, or by `signal`. */
  runOnce<Value>(work: Work<Value>, signal: AbortSignal): Promise<Value>;
  /** Runs `work` like `runOnce`, and again in a new session if the server has forgotten the session. */
  run<Value>(work: Work<Value>, signal: AbortSignal): Promise<Value>;
  close(): Promise<void>;
};

type Connect = (signal: AbortSignal, onClose: () => void) => Promise<McpConnection>;

/** The pause after a failed connection. Calls during the pause wait for the next attempt. */
const PAUSE_MS = 1_000;

/** Keeps one connection for all calls. The first call opens it, and a call after its loss opens a new connection. */
export function keepConnection(connect: Connect): KeptConnection {
  const { take, lose, close } = renewed(connect);

  async function runOnce<Value>(work: Work<Value>, signal: AbortSignal): Promise<Value> {
    signal.throwIfAborted();
    const shared = take();
    try {
      return await shared.use((connection) => inSession(connection, work, signal), signal);
    } catch (error) {
      if (!signal.aborted && isLost(error)) lose(shared);
      throw error;
    }
  }

  async function run<Value>(work: Work<Value>, signal: AbortSignal): Promise<Value> {
    try {
      return await runOnce(work, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof SessionForgotten)) throw error;
      return runOnce(work, signal);
    }
  }

  return { runOnce, run, close };
}

/** Returns whether a connection is lost: it broke, lost its session, or did not answer a request without a signal. */
function isLost(error: unknown): boolean {
  const { kind } = readMcpError(error);
  return kind === 'broken' || kind === 'forgotten' || kind === 'timeout';
}

const PING_TIMEOUT_MS = 2_000;

/**
 * Runs `work`. After a 400 or 404, a ping shows whether the session is forgotten. Then it throws `SessionForgotten`.
 */
async function inSession<Value>(connection: McpConnection, work: Work<Value>, signal: AbortSignal): Promise<Value> {
  try {
    return await work(connection);
  } catch (error) {
    if (!signal.aborted && isRefused(error)) await requireSession(connection, signal);
    throw error;
  }
}

/** Rejects with `SessionForgotten` if the server no longer knows the connection's session. */
export async function requireSession({ client, hasSession }: McpConnection, signal: AbortSignal): Promise<void> {
  if (!hasSession) return;
  try {
    await client.ping({ timeout: PING_TIMEOUT_MS, signal });
  } catch (error) {
    if (isRefused(error)) throw new SessionForgotten();
  }
}

function isRefused(thrown: unknown): boolean {
  const error = readMcpError(thrown);
  return error.kind === 'status' && (error.status === 400 || error.status === 404);
}

function renewed(connect: Connect) {
  const ending = new AbortController();
  const open = new Set<SharedConnection>();
  const make = withPauses(connect, ending.signal);
  let current: SharedConnection | null = null;

  const start = (): SharedConnection => {
    const opening = make(() => lose(shared));
    const shared = shareConnection(opening, () => open.delete(shared));
    opening.catch(() => lose(shared));
    open.add(shared);
    return shared;
  };
  const lose = (shared: SharedConnection): void => {
    if (current === shared) current = null;
    shared.retire();
  };
  return {
    lose,
    take: () => {
      current ??= start();
      return current;
    },
    close: async () => {
      ending.abort();
      await Promise.all([...open].map((shared) => shared.end()));
    },
  };
}

function withPauses(connect: Connect, signal: AbortSignal): (onClose: () => void) => Promise<McpConnection> {
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (onClose) => {
    const pauseMs = failedAt + PAUSE_MS - performance.now();
    if (pauseMs > 0) await wait(pauseMs, undefined, { signal });
    try {
      return await connect(signal, onClose);
    } catch (error) {
      failedAt = performance.now();
      throw error;
    }
  };
}

export type Work<Value> = (connection: McpConnection) => Promise<Value>;

/** A connection, perhaps not open yet, that several calls use at once. */
type SharedConnection = {
  /** Waits for the connection and runs `work` with it. Rejects as either does, or with the reason of `signal`. */
  use<Value>(work: Work<Value>, signal: AbortSignal): Promise<Value>;
  retire(): void;
  /** Ends the connection now, even during a call. */
  end(): Promise<void>;
};

function shareConnection(opening: Promise<McpConnection>, onEnd: () => void): SharedConnection {
  let users = 0;
  let isRetired = false;
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= closeOnceOpen(opening).then(onEnd);
    return ended;
  };
  const endIfUnused = () => void (isRetired && users === 0 && end());

  return {
    end,
    use: async (work, signal) => {
      users += 1;
      try {
        return await work(await Promise.race([opening, whenAborted(signal)]));
      } finally {
        users -= 1;
        endIfUnused();
      }
    },
    retire: () => {
      isRetired = true;
      endIfUnused();
    },
  };
}

async function closeOnceOpen(opening: Promise<McpConnection>): Promise<void> {
  try {
    await (await opening).close();
  } catch {
    // The connection was never opened, or has ended already.
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
