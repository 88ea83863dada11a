import { setTimeout as wait } from 'node:timers/promises';
import type { McpConnection } from './connect-mcp-server.ts';
import { readMcpError } from './read-mcp-error.ts';
import { type SharedConnection, shareConnection, type Work } from './share-connection.ts';

/** The way to a server, for all who use it. */
export type KeptConnection = {
  /**
   * Does something with the connection, which is made first where there is none. Rejects as connecting or `work` does,
   * or with the reason of `signal`. Where the server has forgotten our session, `work` is done again in a new one.
   */
  use<Value>(work: Work<Value>, signal: AbortSignal): Promise<Value>;
  /** Ends all connections, those in use and those being made too. */
  close(): Promise<void>;
};

type Connect = (signal: AbortSignal, onClose: () => void) => Promise<McpConnection>;

/** How long a server that could not be reached is left alone; who wants it meanwhile waits for the next try. */
const PAUSE_MS = 1_000;

/** Keeps one connection: made when first needed, once for all who wait for it, and anew after it was lost. */
export function keepConnection(connect: Connect): KeptConnection {
  const { take, lose, close } = renewed(connect);

  async function use<Value>(work: Work<Value>, signal: AbortSignal, mayRepeat = true): Promise<Value> {
    signal.throwIfAborted();
    const shared = take();
    let hasSession = false;
    const working: Work<Value> = (connection) => {
      hasSession = connection.hasSession;
      return work(connection);
    };
    try {
      return await shared.use(working, signal);
    } catch (error) {
      const { isLost, isForgotten } = judge(error);
      if (signal.aborted || !isLost) throw error;
      lose(shared);
      if (!mayRepeat || !hasSession || !isForgotten) throw error;
    }
    return use(work, signal, false);
  }

  return { use: (work, signal) => use(work, signal), close };
}

/** The connection there is, or a new one that is being made. */
function renewed(connect: Connect) {
  const ending = new AbortController();
  const open = new Set<SharedConnection>();
  const make = withPauses(connect, ending.signal);
  let current: SharedConnection | null = null;

  const start = (): SharedConnection => {
    const made = make(() => lose(shared));
    const shared = shareConnection(made, () => open.delete(shared));
    made.catch(() => lose(shared));
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

/**
 * A broken connection is lost, and so is one where a request without a signal of its own was not answered in time. A
 * status of 400 or 404 may mean that the server was started anew and has forgotten our session.
 */
function judge(thrown: unknown): { isLost: boolean; isForgotten: boolean } {
  const error = readMcpError(thrown);
  const isForgotten = error.kind === 'status' && (error.status === 400 || error.status === 404);
  return { isLost: isForgotten || error.kind === 'broken' || error.kind === 'timeout', isForgotten };
}
