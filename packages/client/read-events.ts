import type { TurnEvent } from './connect-pawl.ts';
import { cutEvents } from './cut-events.ts';

/** The server is heard each 10 s; who is silent for longer than this is gone. */
const SILENCE_MS = 25_000;

/** Reads the events of one connection, until it ends or breaks off: there is no telling which. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { heard, silenceMs = SILENCE_MS }: { heard(): void; silenceMs?: number },
): AsyncGenerator<TurnEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cut = cutEvents();
  try {
    for (;;) {
      const piece = await inTime(reader.read(), silenceMs);
      if (!piece?.value) return;
      heard();
      for (const data of cut(decoder.decode(piece.value, { stream: true }))) yield JSON.parse(data);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Undefined for what fails or takes too long. */
async function inTime<Result>(promise: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
