import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HostedCall } from '#core/turn/hosted/hosted.ts';
import type { RunningReply } from '#core/turn/responses/running-round.ts';
import type { Round, ToolCall, Turn } from '#core/turn/turn.ts';
import type { UiChunk } from '#core/turn/ui-message/chunk.ts';
import { makeUiSender } from '#core/turn/ui-message/ui-sender.ts';
import { makeSearch, started } from '../hosted/make-hosted.ts';
import { makeRound, makeTurn } from '../make-turn.ts';

// Properties of a UI message if rounds repeat, calls finish and readers stop in any order. Each sent part equals the
// stored part, or the stream says that it was superseded.

const words = fc.string({ unit: fc.constantFrom('a', 'b ', '🐢', '\n'), maxLength: 12 });
const outputs = fc.array(fc.constantFrom('one', 'two'), { maxLength: 3 });
const said = fc.record({ reasoning: words, text: words, outputs });
const aTry = fc.record({ said, looks: fc.array(fc.nat(30), { maxLength: 4 }), sameAgain: fc.boolean() });
const aRound = fc.record({
  tries: fc.array(aTry, { minLength: 1, maxLength: 3 }),
  calls: fc.array(fc.nat(), { maxLength: 3 }),
});
const aScript = fc.record({
  rounds: fc.array(aRound, { minLength: 1, maxLength: 3 }),
  stops: fc.infiniteStream(fc.nat(6)),
});

test('each streamed part equals the stored part, or the stream is superseded', () => {
  const ends = { whole: 0, superseded: 0 };

  fc.assert(
    fc.property(aScript, ({ rounds, stops }) => {
      const [turn, received, end] = play(rounds, stops);

      expect(end).not.toBeNull();
      if (end) ends[end] += 1;
      if (end === 'whole') expect(partsOf(received)).toEqual(storedParts(turn));
      else expect(received.at(-1)).toMatchObject({ type: 'error' });
      expectWellFormed(received);
    }),
    { numRuns: 600 },
  );

  expect(Math.min(...Object.values(ends))).toBeGreaterThan(20);
});

type Said = { reasoning: string; text: string; outputs: string[] };
type Try = { said: Said; looks: number[]; sameAgain: boolean };

function play(rounds: { tries: Try[]; calls: number[] }[], stops: fc.Stream<number>) {
  const sender = makeUiSender();
  const received: UiChunk[] = [];
  const look = (turn: Turn, running?: RunningReply) => {
    let left = stops.next().value ?? 0;
    for (const chunk of sender.send(turn, running)) {
      received.push(chunk);
      if (left-- === 0) break;
    }
  };
  let turn = makeTurn();
  for (const [index, { tries, calls }] of rounds.entries()) {
    const number = index + 1;
    const latest = tryAll(tries, (draft, now) => look(turn, { round: number, attempt: draft + 1, draft, ...now }));
    const asked = index < rounds.length - 1 ? (calls.length > 0 ? calls : [0]) : [];
    const round = { ...committed(number, latest, asked.length), draft: tries.length - 1 };
    turn = { ...turn, rounds: [...turn.rounds, round] };
    look(turn);
    for (const call of asked
      .keys()
      .toArray()
      .toSorted((a, b) => (asked[a] ?? 0) - (asked[b] ?? 0))) {
      turn = { ...turn, rounds: [...turn.rounds.slice(0, -1), answered(turn.rounds.at(-1)!, call)] };
      look(turn);
    }
  }
  turn = { ...turn, status: 'completed', output: turn.rounds.at(-1)?.text ?? '' };
  for (let calm = 0; calm < 300 && sender.end() === null; calm += 1) look(turn);
  return [turn, received, sender.end()] as const;
}

type Seen = Omit<RunningReply, 'round' | 'draft' | 'attempt'>;

/** Plays the attempts, reads after some units of each, and returns the last reply. */
function tryAll(tries: Try[], look: (draft: number, now: Seen) => void): Said {
  let latest: Said = { reasoning: '', text: '', outputs: [] };
  for (const [draft, { said, looks, sameAgain }] of tries.entries()) {
    latest = sameAgain && draft > 0 ? latest : said;
    for (const units of looks.toSorted((a, b) => a - b)) look(draft, seenAfter(latest, units));
  }
  return latest;
}

/** Returns the units that were seen. After the reasoning, each second unit is an event about a hosted call. */
function seenAfter({ reasoning, text, outputs }: Said, units: number): Seen {
  const rest = Math.max(0, units - reasoning.length);
  const events = Math.min(2 * outputs.length, Math.ceil(rest / 2));
  const hosted = callsOf(outputs).slice(0, Math.ceil(events / 2));
  const seen = { reasoning: reasoning.slice(0, units), text: text.slice(0, rest - events) };
  return {
    ...{ ...seen, reasoningLength: rest > 0 ? reasoning.length : null, refusalFrom: null },
    hosted: hosted.map((call, index) => (2 * index + 1 < events ? call : started(call))),
  };
}

function callsOf(outputs: string[]): HostedCall[] {
  return outputs.map((output, index) => makeSearch({ id: `call_${index}`, output }));
}

function committed(number: number, { reasoning, text, outputs }: Said, calls: number): Round {
  const open: Partial<ToolCall>[] = Array.from({ length: calls }, () => ({ result: null }));
  const hosted = { calls: callsOf(outputs), annotations: [], images: [] };
  return { ...makeRound(number, text, open), reasoning: reasoning || null, hosted };
}

function answered(round: Round, index: number): Round {
  const { result } = makeRound(1, null, [{}]).calls[0]!;
  return { ...round, calls: round.calls.map((call) => (call.index === index ? { ...call, result } : call)) };
}

/** Returns the texts by their ids, and the output of each call. */
function partsOf(received: UiChunk[]): Record<string, string> {
  const parts: Record<string, string> = {};
  for (const chunk of received) {
    if ('delta' in chunk) parts[chunk.id] = (parts[chunk.id] ?? '') + chunk.delta;
    if (chunk.type === 'tool-output-available') parts[chunk.toolCallId] = chunk.output;
  }
  return parts;
}

function storedParts({ rounds }: Turn): Record<string, string> {
  const entries = rounds.flatMap(({ number, reasoning, text, calls, hosted }) => [
    ...(hosted?.calls ?? []).map(({ id, output }) => [`h${number}_${id}`, output ?? '']),
    ...(reasoning ? [[`r${number}`, reasoning]] : []),
    ...(text ? [[`t${number}`, text]] : []),
    ...calls.map(({ id, result }) => [id, result?.content ?? '']),
  ]);
  return Object.fromEntries(entries);
}

/** Expects that no part is streamed outside its step or twice, and that no delta ends with half a character. */
function expectWellFormed(received: UiChunk[]): void {
  const begun = received.flatMap((chunk) =>
    /-start$|^tool-input/.test(chunk.type) && chunk.type !== 'start' ? [keyOf(chunk)] : [],
  );
  expect(begun).toEqual([...new Set(begun)]);
  expect(received.filter((chunk) => 'delta' in chunk && !chunk.delta.isWellFormed())).toEqual([]);
  expect(received.filter(({ type }) => type === 'start')).toHaveLength(1);
  const steps = received.flatMap(({ type }) => (type.endsWith('-step') ? [type] : []));
  expect(steps.every((type, index) => type === (index % 2 === 0 ? 'start-step' : 'finish-step'))).toBe(true);
}

function keyOf(chunk: UiChunk): string {
  return JSON.stringify('id' in chunk ? [chunk.type, chunk.id] : chunk);
}
