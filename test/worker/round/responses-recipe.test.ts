import { expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';

/** The provider of the recipe in docs/providers.md, at a scripted server. */
async function openRecipe() {
  const server = await startWireServer();
  const options = { apiKey: 'none', baseURL: `${server.origin}/v1` };
  const oai = { kind: 'ai-sdk', module: '@ai-sdk/openai', export: 'createOpenAI', options };
  const harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify({ oai }) } });
  return {
    ...{ harness, server },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

type Item = Record<string, unknown>;

/** The events of a response with these items, as the types of the package `openai` have them. */
function responseOf(output: Item[]): string[] {
  const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-6' };
  const usage = { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } };
  const events = [
    { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: begun(item) },
      ...deltasOf(item, output_index),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { ...head, status: 'completed', output, usage } },
  ];
  return events.map((event, sequence_number) => `data: ${JSON.stringify({ ...event, sequence_number })}\n\n`);
}

const begun = (item: Item) => ({ ...item, ...(item.type === 'message' ? { content: [] } : {}) });

function deltasOf({ id, type, content }: Item, output_index: number): Item[] {
  const [part] = (content ?? []) as { text: string }[];
  if (type !== 'message' || !part) return [];
  const at = { item_id: id, output_index, content_index: 0 };
  return [{ type: 'response.output_text.delta', ...at, delta: part.text, logprobs: [] }];
}

const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
const call = {
  ...{ type: 'function_call', id: 'fc_1', status: 'completed' },
  ...{ call_id: 'call_1', name: 'weather_lookup', arguments: '{"city":"Lisbon"}' },
};
const said = {
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text: 'Lisbon it is.', annotations: [] }],
};

/** The items of a request that have a type: all but messages of the user. */
const inputOf = ({ body }: WireServer['asked'][number]) => (body.input as Item[]).filter(({ type }) => type);

function askWithTools(harness: Harness, model: string, more: object = {}) {
  return harness.startTurn({
    ...{ model, input: 'Where to?', reasoning_effort: 'high', tools: ['weather_lookup'] },
    provider_options: { openai: { store: false, ...more } },
  });
}

test('a model of the Responses API reasons, calls a tool and gets its reasoning back', async () => {
  await using recipe = await openRecipe();
  recipe.server.answer({ body: responseOf([thought, call]) });
  recipe.server.answerNext({ body: responseOf([said]) });

  const { id } = await askWithTools(recipe.harness, 'oai/gpt-6');
  await recipe.harness.workUntilIdle();

  expect(await recipe.harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Lisbon it is.' });
  const [first, second] = recipe.server.asked;
  expect(first).toMatchObject({
    path: '/v1/responses',
    body: { store: false, reasoning: { effort: 'high' }, tools: [{ type: 'function', name: 'weather_lookup' }] },
  });
  expect(inputOf(second!)).toMatchObject([
    { type: 'reasoning', encrypted_content: 'sealed' },
    { type: 'function_call', call_id: 'call_1' },
    { type: 'function_call_output', call_id: 'call_1' },
  ]);
});

test('a name that the package does not know is that of a reasoning model if the turn says so', async () => {
  await using recipe = await openRecipe();
  recipe.server.answer({ body: responseOf([said]) });

  await askWithTools(recipe.harness, 'oai/my-deployment', { forceReasoning: true });
  await recipe.harness.workUntilIdle();

  expect(recipe.server.asked).toMatchObject([{ body: { model: 'my-deployment', reasoning: { effort: 'high' } } }]);
});
