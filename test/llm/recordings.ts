import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, test } from 'vitest';
import type { Provider } from '#core/llm/provider.ts';
import type { Reply } from '#core/turn/reply.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { type Answer, startWireServer, type WireServer } from '#test/llm/wire-server.ts';

/** One recorded exchange. The wire reads the body. */
export type Exchange<Body> = {
  request: { body: Body } | null;
  response: { status: number; headers?: Record<string, string>; body: unknown; raw_prefix?: string };
};
type Entry = { file: string; provider: string; api: string };
type Recording<Body> = Partial<Exchange<Body>> & { traits: string[]; exchanges?: Exchange<Body>[] };

const folder = new URL('../../../shared/recordings/', import.meta.url);

/** Whether recordings of real traffic are beside the repository. */
export const areRecordingsHere = existsSync(new URL('index.json', folder));

const read = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

export const entries: Entry[] = areRecordingsHere ? read('index.json').files : [];

/** Returns `each` recordings of each wire, spread evenly, or all recordings if RECORDINGS is `all`, as in CI. */
export function sampleOf<Recorded extends { reader: { wire: string } }>(
  recorded: Recorded[],
  each: number,
): Recorded[] {
  if (process.env.RECORDINGS === 'all') return recorded;
  const byWire = Map.groupBy(recorded, ({ reader }) => reader.wire);
  return [...byWire.values()].flatMap((ours) => {
    const step = Math.ceil(ours.length / each);
    return ours.filter((_, index) => index % step === 0);
  });
}

export function readRecording<Body>(file: string): { exchanges: Exchange<Body>[]; traits: string[] } {
  const recording: Recording<Body> = read(file);
  return { traits: recording.traits, exchanges: recording.exchanges ?? [recording as Exchange<Body>] };
}

/** Returns the recorded response as a server sends it again, in chunks that split lines and characters. */
export function answerOf({ response }: Exchange<unknown>): Answer {
  const { status, body, headers = {} } = response;
  const isStream = typeof body === 'string' && status === 200;
  const text = isStream ? body : (response.raw_prefix ?? '') + JSON.stringify(body);
  const retryAfter = headers['retry-after'];
  const type = isStream ? 'text/event-stream' : 'application/json';
  return {
    status,
    headers: { 'content-type': type, ...(retryAfter ? { 'retry-after': retryAfter } : {}) },
    body: slices(text),
  };
}

/** Opens the recordings of one wire, and a server that answers like them. At the end, it logs counts in one line. */
export function openRecordings(wire: string, isOurs: (entry: Entry) => boolean) {
  const files = entries.filter(isOurs);
  const { count, summary } = startCounts();
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    const here = `${files.length} of ${entries.length} files; ${summary()}`;
    console.log(`${wire} recordings: ${areRecordingsHere ? here : 'folder not found, skipped'}`);
  });
  test.skipIf(areRecordingsHere)(`${wire}: recordings of real traffic are not available`, () => undefined);

  /** Returns the reply or the failure for a recorded answer, and the body of the request. */
  async function replay(
    exchange: Exchange<unknown>,
    makeProvider: (origin: string) => Pick<Provider, 'ask'>,
    request = someRequest,
  ): Promise<{ answer: Reply | Error; sent: object }> {
    const { status, body } = exchange.response;
    server.answer(answerOf(exchange));
    count(typeof body === 'string' ? 'streams' : status === 200 ? 'whole replies' : 'refusals');
    const asking = makeProvider(server.origin).ask(request, new AbortController().signal, () => undefined);
    const answer = await asking.catch((error) => error);
    return { answer, sent: server.asked.at(-1)!.body };
  }
  return { files, count, replay };
}

/** Counts the played cases, for one line at the end. */
export function startCounts(): { count(what: string): void; summary(): string } {
  const counts = new Map<string, number>();
  return {
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    summary: () =>
      [...counts]
        .sort()
        .map(([what, times]) => `${what} ${times}`)
        .join(', '),
  };
}

function slices(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / 1021) }, (_, at) => bytes.subarray(at * 1021, (at + 1) * 1021));
}
