import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { isAlike } from '#test/llm/recorded-loops/is-alike.ts';
import { playResponses, type Thread, type Way } from '#test/llm/recorded-loops/play-responses.ts';
import { readAnthropic } from '#test/llm/recorded-loops/read-anthropic.ts';
import { readGemini } from '#test/llm/recorded-loops/read-gemini.ts';
import { readOpenai } from '#test/llm/recorded-loops/read-openai.ts';
import { readOpenaiResponses } from '#test/llm/recorded-loops/read-openai-responses.ts';
import { type RecordedTurn, recordedTurns } from '#test/llm/recorded-loops/recorded-turns.ts';
import { MEDIA, type Said, type WireReader } from '#test/llm/recorded-loops/wire-reader.ts';
import { withoutOwnIds } from '#test/llm/recorded-loops/without-own-ids.ts';
import { answerOf, areRecordingsHere, entries, readRecording, sampleOf, startCounts } from '#test/llm/recordings.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';

const ways: Way[] = ['previous_response_id', 'conversation', 'all items again', 'all items and state again'];
const readers = [readOpenai, readOpenaiResponses, readAnthropic, readGemini];
const loops = entries.flatMap(({ file, api }) => {
  const reader = readers.find((each) => each.isOurs(api));
  const loop = reader && recordedTurns(readRecording(file).exchanges, reader);
  return reader && loop && 'turns' in loop && !asksForUnknown(loop.turns, reader)
    ? [{ file, reader, turns: loop.turns }]
    : [];
});
const cases = sampleOf(loops, 2).flatMap((loop) => ways.map((way) => ({ ...loop, way })));
type Body = Record<string, unknown>;
const { count, summary } = startCounts();

let server: WireServer;
let harness: Harness;
beforeAll(async () => {
  server = await startWireServer();
  const env = {
    ...{ OPENAI_BASE_URL: server.origin, ANTHROPIC_BASE_URL: server.origin, GEMINI_BASE_URL: server.origin },
    ...{ ANTHROPIC_API_KEY: 'none-at-all', GEMINI_API_KEY: 'none-at-all' },
    PAWL_PROVIDERS: JSON.stringify({ 'openai-responses': { kind: 'openai-responses', base_url: server.origin } }),
  };
  harness = await createHarness({ env });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  console.log(
    areRecordingsHere ? `tool loops as responses: ${summary()}` : 'tool loops as responses: no recordings here',
  );
});

test.skipIf(areRecordingsHere)('a recording of a tool loop is skipped if no recordings are present', () => undefined);

/** The requests for each turn of a recording by `previous_response_id`, which keeps everything. */
const sentByChain = new Map<string, string[]>();

test.for(cases)('$file runs as responses, by $way, as recorded', async ({ file, reader, turns, way }) => {
  const thread: Thread = { last: null, conversation: null, items: [] };
  for (const recorded of turns) {
    if (!recorded.goesOn) Object.assign(thread, { last: null, conversation: await newConversation(), items: [] });
    const [first, ...rest] = recorded.rounds.map(({ exchange }) => answerOf(reader.answered(exchange)));
    server.answer(first!);
    server.answerNext(...rest);
    const before = server.asked.length;
    const responses = await playResponses(harness, recorded, { way, thread, reader });
    const requests = server.asked.slice(before).map(({ body }) => body);
    checkRequests(requests, recorded, { reader, way });
    const place = `${file} ${turns.indexOf(recorded)}`;
    if (way === 'previous_response_id') sentByChain.set(place, requests.map(withoutMadeIds));
    if (way === 'all items and state again') expect(requests.map(withoutMadeIds)).toEqual(sentByChain.get(place));
    checkReplies(responses, recorded);
  }
  count(`${reader.wire} by ${way}`);
});

/** Replaces call ids that a turn made because the server gave none, and drops the cache key of a conversation. */
function withoutMadeIds(body: Body): string {
  const { prompt_cache_key: _, ...rest } = body;
  return JSON.stringify(rest).replaceAll(/call_[0-9a-f]{24}/g, 'call_made');
}

async function newConversation(): Promise<string> {
  return (await harness.call<{ id: string }>('POST', '/v1/conversations', { body: {} })).body.id;
}

type Played = Awaited<ReturnType<typeof playResponses>>;

/** Checks that each reply is a response with the text and calls of the model. */
function checkReplies(responses: Played, { rounds }: RecordedTurn) {
  const replies = rounds.map(({ reply }) => reply).filter(({ problem }) => problem === null);
  for (const [index, { text, calls }] of replies.entries()) {
    const { output, output_text } = responses[index]!;
    const asked = output.filter((item) => item.type === 'function_call');
    expect(plain(output_text)).toContain(plain(text));
    expect(asked.map(({ name, arguments: args }) => ({ name, args: JSON.parse(args) }))).toEqual(
      calls.map(({ name, arguments: args }) => ({ name, args })),
    );
  }
}

/** Removes whitespace. Texts of Anthropic have a blank line between them after any other block. */
function plain(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Checks that each request is valid and has the recorded history, unless the recorded client changed that history. */
function checkRequests(
  requests: Body[],
  { rounds, fields }: RecordedTurn,
  { reader, way }: { reader: WireReader; way: Way },
) {
  expect(requests).toHaveLength(rounds.length);
  for (const [index, body] of requests.entries()) {
    expect(withoutOwnIds(reader.problems(body, fields.model), rounds)).toEqual([]);
    const { exchange } = rounds[index]!;
    if (!exchange.request) return;
    const ours = reader.request({ ...exchange, request: { body } }).said.map(withoutNotes);
    const { said } = reader.request(exchange);
    // Media in replies is state of the reply, which a client of responses does not have.
    const theirs = way === 'all items again' ? said.map(withoutMedia) : said;
    const isChanged = countCalls(ours) !== countCalls(theirs);
    expect(isChanged || isAlike(ours, theirs), JSON.stringify({ ours, theirs })).toBe(true);
  }
}

function withoutMedia(said: Said): Said {
  return said.role === 'assistant' ? { ...said, text: said.text.replaceAll(MEDIA, '') } : said;
}

/** Removes the notes about hosted calls. A client that sends items again has no state for them. */
function withoutNotes(said: Said): Said {
  return said.role === 'assistant' ? { ...said, text: said.text.replace(/^\[The provider ran .*\]\n/gm, '') } : said;
}

/** Returns whether a call names a tool without an offer. Pawl answers such a call, and the response continues. */
function asksForUnknown(turns: RecordedTurn[], reader: WireReader): boolean {
  return turns.some(({ rounds, fields }) =>
    rounds.some(({ exchange, reply }) => {
      const { tools } = exchange.request ? reader.request(exchange).fields : fields;
      return reply.calls.some(({ name }) => tools.every((tool) => tool.name !== name));
    }),
  );
}

function countCalls(said: Said[]): string {
  const calls = said.reduce((sum, each) => sum + (each.role === 'assistant' ? each.calls : 0), 0);
  return `${calls} calls, ${said.filter(({ role }) => role === 'tool').length} answers`;
}
