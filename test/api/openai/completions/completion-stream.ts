import type { Harness } from '#test/harness/create-harness.ts';

/** One chunk of a streamed completion, or the error that ends the stream. */
export type Chunk = {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: { index: number; delta: Delta; finish_reason: string | null; logprobs: null }[];
  usage?: Record<string, unknown> | null;
  error?: { message: string; type: string; param: string | null; code: string };
};
type Delta = { role?: string; content?: string; refusal?: string; reasoning_content?: string; tool_calls?: unknown[] };

type Opening = { body: object; headers?: Record<string, string>; path?: string };

/** Opens a streamed completion and keeps each frame. */
export async function openCompletionStream(
  { url }: Pick<Harness, 'url'>,
  { body, headers = {}, path = '/v1/chat/completions' }: Opening,
) {
  const leaving = new AbortController();
  const response = await fetch(`${url}${path}`, {
    ...{ method: 'POST', signal: leaving.signal },
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'test', stream: true, ...body }),
  });
  const frames: string[] = [];
  const waiting = new Set<() => void>();
  let isOver = false;
  const over = readFrames(response, (frame) => {
    frames.push(frame);
    for (const look of waiting) look();
  }).finally(() => {
    isOver = true;
    for (const look of waiting) look();
  });
  const chunks = () => chunksIn(frames);

  return {
    ...{ response, frames, over, chunks },
    leave: () => leaving.abort(),
    text: () => contentOf(chunks()),
    /** Waits until the frames so far are enough. */
    until: (isEnough: (chunks: Chunk[]) => boolean) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (isEnough(chunks())) resolve();
          else if (isOver) reject(new Error(`the stream is over after ${frames.join(' ')}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Returns the chunks of frames, without `[DONE]`. */
function chunksIn(frames: string[]): Chunk[] {
  return frames.filter((frame) => frame !== 'data: [DONE]').map((frame) => JSON.parse(frame.replace(/^data: /, '')));
}

/** Returns the deltas of the first choice. */
export function deltasOf(chunks: Chunk[]): Delta[] {
  return chunks.flatMap(({ choices }) => choices?.map(({ delta }) => delta) ?? []);
}

/** Returns the whole text that a client has received. */
export function contentOf(chunks: Chunk[]): string {
  return deltasOf(chunks)
    .map(({ content }) => content ?? '')
    .join('');
}

async function readFrames(response: Response, take: (frame: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const bytes of response.body ?? []) {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) if (!frame.startsWith(':')) take(frame);
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  }
}
