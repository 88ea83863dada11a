import type { StreamBounds } from '#core/bounds/stream-bounds.ts';

/**
 * The messages that the clients of a process have not read yet. A message for several clients of a project counts
 * once.
 */
export type PendingBytes = {
  bytes(): number;
  /** Adds a stream. `close` closes its connection, so that its client reconnects. */
  join(stream: PendingStream): StreamOutlet;
};

type PendingStream = { project: string; turnId: string; close(): void };

/** The messages of one stream that its client has not read yet. */
export type StreamOutlet = {
  /** Keeps a message until the returned function is called. */
  hold(message: Uint8Array): () => void;
  /** Releases all messages of the stream. */
  leave(): void;
};

/** A stream that a limit has closed, and the bytes that its client had not read. */
export type ClosedStream = { project: string; turnId: string; unreadBytes: number };

/**
 * The pending messages of a project, and its streams with pending messages: the stream that has waited longest first.
 */
type ProjectMessages = { bytes: number; holders: Map<Uint8Array, number>; waiting: Map<StreamOutlet, () => void> };

/**
 * Counts these messages and closes streams above the limits:
 * - A project with more than its share loses the streams that have waited longest.
 * - If all projects together have too many bytes, the project with the most bytes loses streams.
 * - A project with at most an equal part of the limit loses no stream.
 * - The stream that writes stays open, so a single client gets a message of any size.
 */
export function makePendingBytes(bounds: StreamBounds, closed: (stream: ClosedStream) => void): PendingBytes {
  const projects = new Map<string, ProjectMessages>();
  let bytes = 0;

  function count(of: ProjectMessages, difference: number): void {
    of.bytes += difference;
    bytes += difference;
  }
  function makeRoom(own: ProjectMessages, writing: StreamOutlet): void {
    while (own.bytes > bounds.pendingBytesOfProject && closeOldest(own, writing));
    while (bytes > bounds.pendingBytes) {
      const equalPart = bounds.pendingBytes / projects.size;
      const largest = [...projects.values()].sort((a, b) => b.bytes - a.bytes);
      if (!largest.some((project) => project.bytes > equalPart && closeOldest(project, writing))) return;
    }
  }
  return {
    bytes: () => bytes,
    join: ({ project, turnId, close }) => {
      const releases = new Map<() => void, Uint8Array>();
      const outlet: StreamOutlet = {
        hold: (message) => {
          const own = projects.get(project) ?? { bytes: 0, holders: new Map(), waiting: new Map() };
          projects.set(project, own);
          const release = () => {
            if (!releases.delete(release)) return;
            count(own, -removeHolder(own, message));
            if (releases.size === 0) own.waiting.delete(outlet);
            if (own.waiting.size === 0) projects.delete(project);
          };
          releases.set(release, message);
          count(own, addHolder(own, message));
          if (!own.waiting.has(outlet)) own.waiting.set(outlet, closeForBound);
          makeRoom(own, outlet);
          return release;
        },
        leave: () => {
          for (const release of releases.keys()) release();
        },
      };
      const closeForBound = () => {
        const unreadBytes = [...releases.values()].reduce((sum, message) => sum + message.length, 0);
        outlet.leave();
        close();
        closed({ project, turnId, unreadBytes });
      };
      return outlet;
    },
  };
}

/**
 * Closes the stream of a project that has waited longest, except the stream that writes. Returns false if there is no
 * other.
 */
function closeOldest({ waiting }: ProjectMessages, writing: StreamOutlet): boolean {
  for (const [outlet, closeForBound] of waiting) {
    if (outlet === writing) continue;
    closeForBound();
    return true;
  }
  return false;
}

/** Returns the bytes that this adds. */
function addHolder({ holders }: ProjectMessages, message: Uint8Array): number {
  const count = holders.get(message) ?? 0;
  holders.set(message, count + 1);
  return count === 0 ? message.length : 0;
}

/** Returns the bytes that this releases. */
function removeHolder({ holders }: ProjectMessages, message: Uint8Array): number {
  const count = holders.get(message) ?? 1;
  if (count > 1) holders.set(message, count - 1);
  else holders.delete(message);
  return count > 1 ? 0 : message.length;
}
