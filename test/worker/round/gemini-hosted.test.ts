import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { checkGemini } from '#test/llm/check-wire/gemini.ts';
import { geminiEvent, partsEvent } from '#test/llm/gemini-wire.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63606060f80f0001040100b1e4c1d80000000049454e44ae426082',
  'hex',
).toString('base64');

const model = 'gemini/gemini-3-pro';
const toolType = 'GOOGLE_SEARCH_WEB';
const searched = [
  { toolCall: { id: 's1', toolType, args: { queries: ['snow'] } }, thoughtSignature: 'c2lnMQ==' },
  { toolResponse: { id: 's1', toolType, response: { search_suggestions: '<b>' } }, thoughtSignature: 'c2lnMg==' },
];
const lookUp = {
  functionCall: { id: 'f1', name: 'weather_lookup', args: { city: 'Bern' } },
  thoughtSignature: 'c2lnMw==',
};
const drawn = [
  { executableCode: { language: 'PYTHON', code: 'print(2)' }, thoughtSignature: 'c2lnNA==' },
  { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2\n' } },
  { text: 'Schön ❄ in Bern: ' },
  { inlineData: { mimeType: 'image/png', data: PIXEL }, thoughtSignature: 'c2lnNQ==' },
  { text: 'Voilà.' },
];
const groundingMetadata = {
  groundingChunks: [{ web: { uri: 'https://a.b', title: 'a.b' } }],
  groundingSupports: [
    { segment: { partIndex: 2, startIndex: 7, endIndex: 10, text: '❄' }, groundingChunkIndices: [0] },
  ],
  searchEntryPoint: { renderedContent: '<style>' },
};
const finishReason = 'STOP';
const counted = geminiEvent({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } });
const replies = [
  [partsEvent(searched), partsEvent([lookUp], { finishReason }), counted],
  [partsEvent(drawn.slice(0, 3)), partsEvent(drawn.slice(3), { finishReason, groundingMetadata }), counted],
  [partsEvent([{ text: 'You are welcome.' }], { finishReason })],
];

async function say(harness: Harness, path: string, body: object): Promise<TurnResource> {
  const { status, body: turn } = await harness.call<TurnResource>('POST', `${path}/turns`, { body });
  if (status !== 202) throw new Error(JSON.stringify(turn));
  await harness.workUntilIdle();
  return harness.findTurn(turn.id);
}

function contentsOf({ asked }: WireServer, index: number): { role: string; parts: object[] }[] {
  return asked[index]!.body.contents as { role: string; parts: object[] }[];
}

test('gemini: hosted calls, citations and images are stored and sent back', async () => {
  const [first, ...next] = replies.map((body) => ({ body }));
  await using server = await startWireServer(first!, ...next);
  const env = { GEMINI_API_KEY: 'none-at-all', GEMINI_BASE_URL: server.origin };
  await using harness = await createHarness({ env });
  const tools = ['weather_lookup', { type: 'web_search' }, { type: 'code_execution' }];
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: { model, tools } });
  const path = `/v1/conversations/${body.id}`;

  const turn = await say(harness, path, { model, input: 'Is there snow?' });
  const after = await say(harness, path, { model, input: 'Thanks!' });

  expect(turn).toMatchObject({ status: 'completed', output: 'Schön ❄ in Bern: Voilà.', warnings: [] });
  expect(turn.output_annotations).toEqual([
    { type: 'url_citation', url: 'https://a.b', title: 'a.b', start_index: 6, end_index: 7 },
  ]);
  expect(turn.output_parts?.map((part) => part.type)).toEqual(['output_text', 'output_image', 'output_text']);
  expect(turn.usage).toMatchObject({ hosted_calls: { web_search: 2, code_execution: 1 } });
  expect(after.status).toBe('completed');
  for (const request of server.asked) expect(checkGemini(request.body, 'gemini-3-pro')).toEqual([]);
  expect(contentsOf(server, 1)[1]).toEqual({ role: 'model', parts: [...searched, lookUp] });
  expect(contentsOf(server, 2)[3]).toEqual({ role: 'model', parts: drawn });
});

test('gemini: another provider receives hosted calls and images as notes', async () => {
  await using server = await startWireServer({ body: replies[1]! }, { body: replies[2]! });
  const twin = { kind: 'gemini', base_url: `${server.origin}/twin` };
  const env = {
    GEMINI_API_KEY: 'none-at-all',
    GEMINI_BASE_URL: server.origin,
    PAWL_PROVIDERS: JSON.stringify({ twin }),
  };
  await using harness = await createHarness({ env });
  const tools = [{ type: 'web_search' }, { type: 'code_execution' }];
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: { model, tools } });
  const path = `/v1/conversations/${body.id}`;

  await say(harness, path, { model, input: 'Is there snow?' });
  await say(harness, path, { model: 'twin/gemini-3-pro', input: 'Thanks!' });

  const said = JSON.stringify(contentsOf(server, 1)[1]);
  expect(said).toContain('[The provider ran code_execution');
  expect(said).toContain('[The model made an image.]');
  expect(said).not.toMatch(/inlineData|executableCode|thoughtSignature/);
});
