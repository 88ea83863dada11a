import type { McpConnection } from './connect-mcp-server.ts';

/** Something done with a connection. */
export type Work<Value> = (connection: McpConnection) => Promise<Value>;

/** A connection, made or being made, that several use at once. */
export type SharedConnection = {
  /** Waits until it is made and does something with it. Rejects as either does, or with the reason of `signal`. */
  use<Value>(work: Work<Value>, signal: AbortSignal): Promise<Value>;
  /** Ends it as soon as nobody uses it any more. */
  retire(): void;
  /** Ends it now, under the hands of whoever uses it. */
  end(): Promise<void>;
};

/** Lets several use a connection; `onEnd` is told once it has ended. */
export function shareConnection(made: Promise<McpConnection>, onEnd: () => void): SharedConnection {
  let users = 0;
  let isRetired = false;
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= closeOnceMade(made).then(onEnd);
    return ended;
  };
  const endIfLeft = () => void (isRetired && users === 0 && end());

  return {
    end,
    use: async (work, signal) => {
      users += 1;
      try {
        return await work(await Promise.race([made, whenAborted(signal)]));
      } finally {
        users -= 1;
        endIfLeft();
      }
    },
    retire: () => {
      isRetired = true;
      endIfLeft();
    },
  };
}

async function closeOnceMade(made: Promise<McpConnection>): Promise<void> {
  try {
    await (await made).close();
  } catch {
    // It was never made, or it is gone: either way there is nothing to close.
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
