import { existsSync, readFileSync } from 'node:fs';
import type { Answer } from '#test/llm/wire-server.ts';

/** One exchange as it was recorded; a body is what its wire makes of it. */
export type Exchange<Body> = {
  request: { body: Body } | null;
  response: { status: number; headers?: Record<string, string>; body: unknown; raw_prefix?: string };
};
type Entry = { file: string; provider: string; api: string };
type Recording<Body> = Partial<Exchange<Body>> & { traits: string[]; exchanges?: Exchange<Body>[] };

const folder = new URL('../../../shared/recordings/', import.meta.url);

/** Whether recordings of real traffic lie beside the repository. */
export const areRecordingsHere = existsSync(new URL('index.json', folder));

const read = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

/** Every recording there is; none when they are not at hand. */
export const entries: Entry[] = areRecordingsHere ? read('index.json').files : [];

/** Returns so many recordings of each wire, spread evenly, or all of them if RECORDINGS is `all`, as in CI. */
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

/** One recording: its exchanges in order, and its traits. */
export function readRecording<Body>(file: string): { exchanges: Exchange<Body>[]; traits: string[] } {
  const recording: Recording<Body> = read(file);
  return { traits: recording.traits, exchanges: recording.exchanges ?? [recording as Exchange<Body>] };
}

/** The recorded response as a server sends it again, in portions that cut through lines and characters. */
export function answerOf({ response }: Exchange<unknown>): Answer {
  const { status, body, headers = {} } = response;
  const isStream = typeof body === 'string' && status === 200;
  const text = isStream ? body : (response.raw_prefix ?? '') + JSON.stringify(body);
  const retryAfter = headers['retry-after'];
  const type = isStream ? 'text/event-stream' : 'application/json';
  return {
    status,
    headers: { 'content-type': type, ...(retryAfter ? { 'retry-after': retryAfter } : {}) },
    body: portions(text),
  };
}

/** Counts what was exercised, for one line at the end. */
export function startCounts(): { count(what: string): void; told(): string } {
  const counts = new Map<string, number>();
  return {
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    told: () =>
      [...counts]
        .sort()
        .map(([what, times]) => `${what} ${times}`)
        .join(', '),
  };
}

function portions(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / 1021) }, (_, at) => bytes.subarray(at * 1021, (at + 1) * 1021));
}
