import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { isAlike } from '#test/llm/recorded-loops/is-alike.ts';
import { playTurn } from '#test/llm/recorded-loops/play-turn.ts';
import { readAnthropic } from '#test/llm/recorded-loops/read-anthropic.ts';
import { readGemini } from '#test/llm/recorded-loops/read-gemini.ts';
import { readOpenai } from '#test/llm/recorded-loops/read-openai.ts';
import { readOpenaiResponses } from '#test/llm/recorded-loops/read-openai-responses.ts';
import { type RecordedTurn, recordedTurns } from '#test/llm/recorded-loops/recorded-turns.ts';
import type { Said, WireReader } from '#test/llm/recorded-loops/wire-reader.ts';
import { withoutOwnIds } from '#test/llm/recorded-loops/without-own-ids.ts';
import { answerOf, areRecordingsHere, entries, readRecording, sampleOf, startCounts } from '#test/llm/recordings.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';

const readers = [readOpenai, readOpenaiResponses, readAnthropic, readGemini];
const recordings = entries.flatMap(({ file, api }) => {
  const reader = readers.find((each) => each.isOurs(api));
  const loop = reader && recordedTurns(readRecording(file).exchanges, reader);
  return reader && loop ? [{ file, reader, loop, wire: reader.wire }] : [];
});
const loops = recordings.flatMap(({ loop, ...rest }) => ('turns' in loop ? [{ ...rest, turns: loop.turns }] : []));
const sample = sampleOf(loops, 5);
const { count, summary } = startCounts();

let whole = 0;
let server: WireServer;
let harness: Harness;
beforeAll(async () => {
  server = await startWireServer();
  const env = {
    OPENAI_BASE_URL: server.origin,
    ANTHROPIC_BASE_URL: server.origin,
    ANTHROPIC_API_KEY: 'none-at-all',
    GEMINI_BASE_URL: server.origin,
    GEMINI_API_KEY: 'none-at-all',
    PAWL_PROVIDERS: JSON.stringify({
      'openai-responses': { kind: 'openai-responses', base_url: server.origin, api_key: 'none-at-all' },
    }),
    PAWL_TOOL_RULES: 'provider',
  };
  harness = await createHarness({ env });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  for (const { loop, wire } of recordings) if ('skip' in loop) count(`skipped on that of ${wire} because ${loop.skip}`);
  const sum = `${whole} of ${recordings.length} tool loops run whole: ${summary()}`;
  console.log(areRecordingsHere ? sum : 'tool loops: folder of recordings not found, skipped');
});

test.skipIf(areRecordingsHere)('recordings of tool loops are missing', () => undefined);

test.for(sample)('$file runs as whole turns, like the recording', async ({ reader, turns, wire }) => {
  let conversationId: string | null = null;
  const before: RecordedTurn['rounds'] = [];

  for (const recorded of turns) {
    const [first, ...rest] = recorded.rounds.map(({ exchange }) => answerOf(reader.answered(exchange)));
    server.answer(first!);
    server.answerNext(...rest);
    const asked = server.asked.length;
    const played = await playTurn(harness, recorded, recorded.goesOn ? conversationId : null);
    if ('refused' in played) throw new Error(played.refused.message);
    const requests = server.asked.slice(asked).map(({ body }) => body);
    checkTurn(played.turn, recorded);
    checkAnswers(played.turn, recorded, { reader, last: requests.at(-1)! });
    checkRequests(requests, recorded, reader);
    checkDifferences(requests, recorded, { reader, before: recorded.goesOn ? before : [] });
    before.push(...recorded.rounds);
    conversationId = played.turn.conversation_id;
  }
  count(`on the wire of ${wire}`);
  whole += 1;
});

test.skipIf(!areRecordingsHere)('at least 95 of 100 recorded tool loops can run whole', () => {
  expect(recordings.length).toBeGreaterThan(100);
  expect(loops.length / recordings.length).toBeGreaterThanOrEqual(0.95);
  expect(whole).toBe(sample.length);
});

function checkTurn(turn: TurnResource, { rounds }: RecordedTurn) {
  const replies = rounds.map(({ reply }) => reply).filter(({ problem }) => problem === null);
  const last = replies.at(-1)!;
  const seen = new Set<string>();

  expect(turn.status).toBe(endOf(rounds.at(-1)!));
  expect(plain(turn.output)).toBe(last.calls.length === 0 ? plain(last.text) : '');
  expect(turn.rounds).toHaveLength(replies.length);
  for (const [index, { text, calls, usage }] of replies.entries()) {
    const round = turn.rounds[index]!;
    expect(plain(round.assistant_response)).toBe(calls.length === 0 ? '' : plain(text));
    expect(round.tool_calls.map(({ name, arguments: args }) => ({ name, args }))).toEqual(
      calls.map(({ name, arguments: args }) => ({ name, args })),
    );
    for (const [index, { id }] of calls.entries()) {
      if (isFit(id) && !seen.has(id)) expect(round.tool_calls[index]!.id).toBe(id);
      seen.add(id);
    }
    if (usage) expect(round.usage).toMatchObject(usage);
  }
}

/** Returns the expected status. The turn waits for its last calls if the recorded client did not send them. */
function endOf({ reply, exchange }: RecordedTurn['rounds'][number]): string {
  if (exchange.response.status !== 200) return 'failed';
  return reply.calls.length > 0 ? 'requires_action' : 'completed';
}

function isFit(id: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(id);
}

/** Removes the blank lines that join Anthropic's texts. */
function plain(text: string | null): string {
  return (text ?? '').replaceAll('\n\n', '');
}

/**
 * Expects that the model was sent the client's results in order, and an error for each result that Pawl gave itself.
 */
function checkAnswers(turn: TurnResource, { rounds }: RecordedTurn, sent: { reader: WireReader; last: object }) {
  const given = rounds.filter(({ reply }) => reply.problem === null).flatMap(({ answers }) => answers);
  const before = turn.status === 'failed' ? turn.rounds : turn.rounds.slice(0, -1);
  const results = before.flatMap((round) => round.results);
  const { said } = sent.reader.request({ request: { body: sent.last }, response: { status: 200, body: null } });
  const answers = said.filter((each) => each.role === 'tool');
  const seen = answers.slice(answers.length - results.length);

  expect(seen).toHaveLength(results.length);
  for (const [index, { text }] of seen.entries()) {
    const { status, content } = results[index]!;
    if (status === 'success') expect([content, text]).toEqual([given[index]!.text, content || '(no output)']);
    else expect(text).toMatch(/^Tool execution failed/);
  }
}

/** Expects that each request is valid, and has the history of the recorded request unless the client had changed it. */
function checkRequests(requests: Record<string, unknown>[], { rounds, fields }: RecordedTurn, reader: WireReader) {
  expect(requests).toHaveLength(rounds.length);
  for (const [index, body] of requests.entries()) {
    expect(withoutOwnIds(reader.problems(body, fields.model), rounds)).toEqual([]);
    const { exchange } = rounds[index]!;
    if (!exchange.request) return;
    const { said: ours } = reader.request({ ...exchange, request: { body } });
    const { said: theirs } = reader.request(exchange);
    // Some clients run a single call of several, invent calls, or show the model a failed reply.
    const isChanged = countCalls(ours) !== countCalls(theirs);
    expect(isChanged || isAlike(ours, theirs), JSON.stringify({ ours, theirs })).toBe(true);
    count(isChanged ? 'requests that the client had changed' : 'requests alike');
  }
}

/** Expects that each request has the fields and the state of the recorded request. */
function checkDifferences(
  requests: Record<string, unknown>[],
  { rounds }: RecordedTurn,
  { reader, before }: { reader: WireReader; before: RecordedTurn['rounds'] },
) {
  if (!reader.differences) return;
  for (const [index, body] of requests.entries()) {
    const replies = [...before, ...rounds.slice(0, index)].filter(({ reply }) => reply.problem === null);
    const earlier = replies.map(({ exchange }) => exchange);
    expect(reader.differences(body, rounds[index]!.exchange, earlier)).toEqual([]);
    count(`requests to ${reader.wire} with the same items`);
  }
}

function countCalls(said: Said[]): string {
  const calls = said.reduce((sum, each) => sum + (each.role === 'assistant' ? each.calls : 0), 0);
  return `${calls} calls, ${said.filter(({ role }) => role === 'tool').length} answers`;
}
