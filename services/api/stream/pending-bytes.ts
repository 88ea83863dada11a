/** The messages that the clients of a process have not read yet. A message that several clients wait for counts once. */
export type PendingBytes = {
  bytes(): number;
  /** Adds a stream. `close` closes its connection, so that its client comes back. */
  join(close: () => void): StreamOutlet;
};

/** The messages of one stream that its client has not read yet. */
export type StreamOutlet = {
  /** Keeps a message until the returned function is called. */
  hold(message: Uint8Array): () => void;
  /** Lets all messages of the stream go. */
  leave(): void;
};

/**
 * Keeps count of these messages. If they have more than `limit` bytes, it closes the streams that have waited longest, but not
 * the stream that writes: a client that is alone gets a message of any size.
 */
export function makePendingBytes(limit: number): PendingBytes {
  const holders = new Map<Uint8Array, number>();
  const waiting = new Map<StreamOutlet, () => void>();
  let bytes = 0;

  function add(message: Uint8Array): void {
    const count = holders.get(message) ?? 0;
    if (count === 0) bytes += message.length;
    holders.set(message, count + 1);
  }
  function remove(message: Uint8Array): void {
    const count = holders.get(message) ?? 1;
    if (count > 1) {
      holders.set(message, count - 1);
      return;
    }
    holders.delete(message);
    bytes -= message.length;
  }
  function makeRoom(writing: StreamOutlet): void {
    for (const [outlet, close] of waiting) {
      if (bytes <= limit) return;
      if (outlet === writing) continue;
      outlet.leave();
      close();
    }
  }
  return {
    bytes: () => bytes,
    join: (close) => {
      const releases = new Set<() => void>();
      const outlet: StreamOutlet = {
        hold: (message) => {
          const release = () => {
            if (!releases.delete(release)) return;
            remove(message);
            if (releases.size === 0) waiting.delete(outlet);
          };
          releases.add(release);
          add(message);
          if (!waiting.has(outlet)) waiting.set(outlet, close);
          makeRoom(outlet);
          return release;
        },
        leave: () => {
          for (const release of releases) release();
        },
      };
      return outlet;
    },
  };
}
