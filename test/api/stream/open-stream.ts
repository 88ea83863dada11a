/** An event as a client of the stream sees it. `id` is null if the server sent none. */
export type Seen = { type: string; id: string | null; data: Record<string, unknown> };

export type StreamOptions = { after?: number | string; lastEventId?: string; project?: string };

/** Opens a stream of server-sent events and records its events and comments. */
export async function openStream(url: string, { after, lastEventId, project }: StreamOptions) {
  const leaving = new AbortController();
  const response = await fetch(after === undefined ? url : `${url}?after=${after}`, {
    signal: leaving.signal,
    headers: {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      ...(project === undefined ? {} : { 'x-project': project }),
    },
  });
  const seen: Seen[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  const notify = () => {
    for (const look of waiting) look();
  };
  let isOver = false;
  const over = readAll(response, (block) => {
    if (block.startsWith(':')) comments.push(block);
    else seen.push(parse(block));
    notify();
  }).finally(() => {
    isOver = true;
    notify();
  });

  return {
    response,
    seen,
    comments,
    /** Resolves when the server has closed the stream. */
    over,
    leave: () => leaving.abort(),
    /** Waits until the recorded events are enough. */
    until: (isEnough: (seen: Seen[], comments: string[]) => boolean) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (isEnough(seen, comments)) resolve();
          else if (isOver)
            reject(
              new Error(
                `the stream (HTTP ${response.status}) is over after ${seen.map(({ type }) => type).join(', ')}`,
              ),
            );
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Returns the text of a round as a client assembles it. Throws if a delta has an unexpected offset. */
export function textOf(seen: Seen[], type = 'output_text.delta'): string {
  let text = '';
  for (const { type: seenType, data } of seen) {
    if (seenType === 'round.started') text = '';
    if (seenType !== type) continue;
    if (data.offset !== text.length) throw new Error(`a delta at ${data.offset} came after ${text.length} characters`);
    text += data.delta;
  }
  return text;
}

async function readAll(response: Response, take: (block: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) take(block);
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  }
}

function parse(block: string): Seen {
  const field = (name: string) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1] ?? null;
  const data = field('data') ?? 'null';
  if (data === '[DONE]') return { type: data, id: null, data: {} };
  return { type: field('event') ?? '', id: field('id'), data: JSON.parse(data) };
}
