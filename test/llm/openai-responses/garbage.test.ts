import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import { fullForm, renderRequest } from '#core/llm/openai-responses/render-request.ts';
import { annotationsWithin } from '#core/turn/hosted/hosted.ts';
import type { Reply } from '#core/turn/reply.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { callItem, messageItem, reasoningItem, responseStream } from '#test/llm/responses-events.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const search = { item: { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { query: 'Bern' } } };
const annotations = [{ type: 'url_citation', url: 'https://example.com', start_index: 0, end_index: 2 }];
const cited = messageItem(['Hel', 'lo.'], { content: [{ type: 'output_text', text: 'Hello.', annotations }] });
const images = [{ type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' }];
const code = { item: { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: '1', outputs: images } };
const drawn = { item: { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgo=' } };
const call = { id: 'call_1', name: 'look', arguments: ['{"a":', '1}'] };
const usage = { input_tokens: 4, input_tokens_details: { cached_tokens: 1 }, output_tokens: 2 };
const stream = responseStream([reasoningItem(['Hm.']), cited, search, code, drawn, callItem(call)], { usage }).map(
  (event) => JSON.parse(event.split('data: ')[1]!) as object,
);

const garbage = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e99, '', 'x', 'null', [], {}, [null], [[]], ['x'], {
    a: { b: [] },
  }),
  fc.constantFrom<unknown>({ type: 'message' }, [{ type: 'function_call' }], [{ type: 5 }], {
    __proto__: null,
    text: 5,
  }),
  fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown),
);

/** Replaces a value within another value. `pick` selects the position. */
function replaced(value: unknown, pick: number, by: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return by;
  const names = Object.keys(value);
  const name = names[pick % names.length]!;
  const inner = (value as Record<string, unknown>)[name];
  const isHere = pick % 3 === 0;
  const changed = isHere ? by : replaced(inner, Math.floor(pick / 3), by);
  if (Array.isArray(value)) return value.map((each, at) => (String(at) === name ? changed : each));
  return { ...value, [name]: changed };
}

const change = fc.record({ at: fc.nat({ max: stream.length - 1 }), pick: fc.nat(), by: garbage });
const written = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;

test('any value in a response field leads to a reply or a provider failure', async () => {
  await using server = await startWireServer();
  const provider = openaiResponsesProvider({ name: 'odd', apiKey: null, baseUrl: server.origin, post });
  const counts = { replies: 0, failures: 0 };

  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), fc.boolean(), async (changes, isCut) => {
      const events = changes.reduce<unknown[]>(
        (so, { at, pick, by }) => so.map((event, index) => (index === at ? replaced(event, pick, by) : event)),
        isCut ? stream.slice(0, -1) : stream,
      );
      server.answer({ body: [events.map(written).join('')] });
      const asking = provider.ask(someRequest, new AbortController().signal, () => undefined);

      const reply = await asking.catch((error: unknown) => error);

      if (reply instanceof ProviderFailed) {
        expect(reply.code).toMatch(/^(provider_|context_|quota_|model_)/);
        counts.failures += 1;
        return;
      }
      expect(reply).toMatchObject({ calls: expect.any(Array), finishReason: expect.any(String) });
      expectUsable(reply as Reply);
      counts.replies += 1;
    }),
    { numRuns: 1_500 },
  );

  console.log(`responses with garbage: ${JSON.stringify(counts)}`);
  expect(Math.min(counts.replies, counts.failures)).toBeGreaterThan(100);
  expect(({} as Record<string, unknown>).a).toBeUndefined();
});

/** Expects that the reply can be stored and sent with the next request. */
function expectUsable({ text, calls, opaque, hosted }: Reply) {
  const state: unknown = JSON.parse(JSON.stringify(opaque));
  const parts = (hosted?.images ?? []).map(({ url }) => ({ type: 'input_image' as const, image_url: url }));
  const own = { opaque: { provider: 'odd', state }, hosted: hosted?.calls ?? [], parts };
  const said = { role: 'assistant' as const, content: text, calls, ...own };
  expect(annotationsWithin(hosted?.annotations ?? [], text ?? '')).toEqual(hosted?.annotations ?? []);
  for (const form of [fullForm(true), { ...fullForm(true), isKept: false }]) {
    const request = { ...someRequest, messages: [said, { role: 'user' as const, content: 'And?' }] };
    const { input } = renderRequest(request, { provider: 'odd', form });
    expect(JSON.stringify(input)).toContain('And?');
  }
}
