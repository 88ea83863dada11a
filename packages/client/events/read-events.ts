import type { TurnEvent } from '../pawl.ts';

/** The time after which a silent server counts as lost. The server sends something every 10 s. */
const SILENCE_TIMEOUT_MS = 25_000;

/** Reads the events of one connection until it ends or breaks. The caller cannot distinguish the two. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { onChunk, silenceMs = SILENCE_TIMEOUT_MS }: { onChunk(): void; silenceMs?: number },
): AsyncGenerator<TurnEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parse = makeSseParser();
  try {
    for (;;) {
      const chunk = await inTime(reader.read(), silenceMs);
      if (!chunk?.value) return;
      onChunk();
      for (const data of parse(decoder.decode(chunk.value, { stream: true }))) yield JSON.parse(data);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Returns undefined if the promise fails or takes too long. */
async function inTime<Result>(promise: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns a parser of server-sent events. It takes the stream in chunks, cut anywhere, and returns the data of each
 * complete event. It ignores comments, and `event` and `id`, which the data repeats.
 */
export function makeSseParser(): (chunk: string) => string[] {
  let rest = '';
  let endedInReturn = false;
  const data: string[] = [];

  function take(line: string): string[] {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    if (line !== '' || data.length === 0) return [];
    return [data.splice(0).join('\n')];
  }

  return (chunk) => {
    if (chunk === '') return [];
    // If a chunk ended between CR and LF, the LF does not end another line.
    const fresh = endedInReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    endedInReturn = chunk.endsWith('\r');
    const lines = (rest + fresh).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    return lines.flatMap(take);
  };
}
