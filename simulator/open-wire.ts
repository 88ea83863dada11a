import type { ServerResponse } from 'node:http';

/** One answer on its way to one client. A pause ends when the client hangs up; writing after that does nothing. */
export type Wire = {
  isOpen(): boolean;
  pause(ms: number): Promise<void>;
  head(status: number, headers: Record<string, string>): void;
  write(text: string): void;
  end(text: string): void;
  /** Destroys the connection as soon as what was written has left. */
  cut(): void;
  /** Resolves when the client hung up (or the simulator stopped) before the answer was over; never otherwise. */
  aborted: Promise<void>;
};

/** Watches the connection of one response and gives out its bytes. */
export function openWire(response: ServerResponse): Wire {
  const left = Promise.withResolvers<void>();
  let wake = (): void => {};
  let isOver = false;
  response.once('close', () => {
    wake();
    if (!isOver && !response.writableFinished) left.resolve();
  });
  return {
    aborted: left.promise,
    isOpen: () => !response.destroyed,
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
