import type { ServerResponse } from 'node:http';

/** The end of an answer: complete, cut off, silent on an open connection, or never, with its last chunk repeated. */
export type Ending = 'end' | 'cut' | 'silence' | 'repeat';

/** The bytes of an answer and their timing. If `head` is null, no bytes are sent. */
export type RenderedResponse = {
  thinkMs: number;
  head: { status: number; headers: Record<string, string> } | null;
  chunks: string[];
  paceMs: number;
  ending: Ending;
};

const DRIP_MS = 100;

/** Sends a rendered answer: all at once without a pace, otherwise in chunks. Stops when the client disconnects. */
export async function sendResponse(
  { thinkMs, head, ...answer }: RenderedResponse,
  client: ClientConnection,
): Promise<void> {
  await client.pause(thinkMs);
  if (!client.isOpen()) return;
  if (!head) return answer.ending === 'cut' ? client.cut() : undefined;

  client.head(head.status, head.headers);
  await sendChunks(answer, client);
}

/** Sends the chunks of an answer after its head, and ends it. */
export async function sendChunks(
  { chunks, paceMs, ending }: Pick<RenderedResponse, 'chunks' | 'paceMs' | 'ending'>,
  client: ClientConnection,
): Promise<void> {
  const writes = paceMs > 0 ? chunks : [chunks.join('')];
  const last = writes.at(-1) ?? '';
  await sendPaced(writes.slice(0, -1), paceMs, client);
  if (!client.isOpen()) return;
  if (ending === 'end') return client.end(last);
  client.write(last);
  if (ending === 'cut') client.cut();
  if (ending === 'repeat') await repeat(chunks.at(-1) ?? ' ', paceMs || DRIP_MS, client);
}

async function sendPaced(chunks: string[], paceMs: number, client: ClientConnection): Promise<void> {
  for (const chunk of chunks) {
    if (!client.isOpen()) return;
    client.write(chunk);
    await client.pause(paceMs);
  }
}

async function repeat(chunk: string, everyMs: number, client: ClientConnection): Promise<void> {
  while (client.isOpen()) {
    await client.pause(everyMs);
    if (client.isOpen()) client.write(chunk);
  }
}

/** The connection of one answer. A disconnect ends a pause. Later writes have no effect. */
export type ClientConnection = {
  isOpen(): boolean;
  /** Whether the answer has ended with all its bytes. */
  isEnded(): boolean;
  pause(ms: number): Promise<void>;
  head(status: number, headers: Record<string, string>): void;
  write(text: string): void;
  end(text: string): void;
  /** Destroys the connection after all written bytes are sent. */
  cut(): void;
  /** Resolves only when the client disconnects, or the simulator stops, before the answer ends. */
  aborted: Promise<void>;
};

export function openClientConnection(response: ServerResponse): ClientConnection {
  const disconnected = Promise.withResolvers<void>();
  let wake = (): void => {};
  let isOver = false;
  response.once('close', () => {
    wake();
    if (!isOver && !response.writableFinished) disconnected.resolve();
  });
  return {
    aborted: disconnected.promise,
    isOpen: () => !response.destroyed,
    isEnded: () => response.writableEnded,
    pause(ms) {
      if (ms <= 0 || response.destroyed) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    head: (status, headers) => void response.writeHead(status, headers),
    write: (text) => void response.write(text),
    end: (text) => void response.end(text),
    cut() {
      isOver = true;
      if (!response.headersSent) response.socket?.resetAndDestroy();
      else response.write('', () => response.socket?.destroy());
    },
  };
}
