import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import { expect } from 'vitest';
import { askSimulator } from '../ask-simulator.ts';
import { type Params, script, sentBack, stateless, test } from './ask-responses.ts';

type Tools = NonNullable<ResponseCreateParamsNonStreaming['tools']>;

const tools: Tools = [
  { type: 'web_search' },
  { type: 'code_interpreter', container: { type: 'auto' } },
  { type: 'file_search', vector_store_ids: ['vs_1'] },
  { type: 'image_generation' },
];
const include: NonNullable<Params['include']> = [
  ...(['reasoning.encrypted_content', 'web_search_call.action.sources'] as const),
  ...(['code_interpreter_call.outputs', 'file_search_call.results'] as const),
];
const hosted = [
  { type: 'web_search', input: { query: 'Bern' }, output: ['https://example.com'] },
  { type: 'code_execution', input: { code: 'print(1 + 1)' }, output: '2', image: 'iVBORw0KGgo=' },
  { type: 'file_search', input: { queries: ['Bern'] }, output: [{ file_id: 'file-1', text: 'A city' }] },
  { type: 'image_generation', input: { prompt: 'A bear' } },
];
const citations = [
  { url: 'https://example.com', title: 'Example', text: 'sunny' },
  { url: 'https://example.com', title: 'Example', start_index: 0, end_index: 2 },
  { file_id: 'file-1', title: 'bern.txt', text: 'It' },
  { url: 'https://example.com', text: 'rain' },
];
const everything = script({ final: { reasoning: 'hm', say: 'It is sunny.', hosted, citations } });
const typesOf = (items: { type: string }[]) => items.map(({ type }) => type);

test('hosted calls of a script are items before the message', async ({ model }) => {
  const { output } = await model.respond({ ...everything, tools, ...stateless, include });

  const url = { type: 'url_citation', url: 'https://example.com', title: 'Example' };
  expect(output).toMatchObject([
    { type: 'reasoning' },
    { type: 'web_search_call', id: expect.stringMatching(/^ws_/), status: 'completed', action: { query: 'Bern' } },
    { type: 'code_interpreter_call', code: 'print(1 + 1)', outputs: [{ type: 'logs', logs: '2' }, { type: 'image' }] },
    { type: 'file_search_call', queries: ['Bern'], results: [{ file_id: 'file-1', text: 'A city' }] },
    { type: 'image_generation_call', result: expect.stringMatching(/^iVBOR/), revised_prompt: 'A bear' },
    {
      content: [
        {
          annotations: [
            { ...url, start_index: 6, end_index: 11 },
            { ...url, start_index: 0, end_index: 2 },
            { type: 'file_citation', file_id: 'file-1', filename: 'bern.txt', index: 2 },
          ],
        },
      ],
    },
  ]);
  expect(output[1]).toMatchObject({ action: { sources: [{ type: 'url', url: 'https://example.com' }] } });
});

test('hosted calls show results only if the request includes them', async ({ model }) => {
  const { output } = await model.respond({ ...everything, tools });

  expect(output[1]).toMatchObject({ action: { type: 'search', query: 'Bern' } });
  expect(output[1]).not.toMatchObject({ action: { sources: expect.anything() } });
  expect(output.slice(2, 4)).toMatchObject([{ outputs: null }, { results: null }]);
});

test('a stream has the events of each hosted call and the citations', async ({ model }) => {
  const { events } = await model.readEvents({ ...everything, tools, ...stateless, include });

  const names = events.map(({ name }) => name!.replace('response.', ''));
  expect(names.slice(names.indexOf('web_search_call.in_progress') - 1)).toEqual([
    ...['output_item.added', 'web_search_call.in_progress', 'web_search_call.searching', 'web_search_call.completed'],
    ...['output_item.done', 'output_item.added', 'code_interpreter_call.in_progress'],
    ...['code_interpreter_call_code.delta', 'code_interpreter_call_code.done', 'code_interpreter_call.interpreting'],
    ...['code_interpreter_call.completed', 'output_item.done', 'output_item.added', 'file_search_call.in_progress'],
    ...['file_search_call.searching', 'file_search_call.completed', 'output_item.done', 'output_item.added'],
    ...['image_generation_call.in_progress', 'image_generation_call.generating', 'image_generation_call.completed'],
    ...['output_item.done', 'output_item.added', 'content_part.added', 'output_text.delta'],
    ...['output_text.annotation.added', 'output_text.annotation.added', 'output_text.annotation.added'],
    ...['output_text.done', 'content_part.done', 'output_item.done', 'completed'],
  ]);
});

test('the SDK reads streamed hosted calls like those of a whole response', async ({ model }) => {
  const params: Params = { ...everything, tools, ...stateless, include };
  const withoutIds = ({ output }: { output: { id?: string | null }[] }) => output.map(({ id, ...item }) => item);

  const streamed = await model.stream(params).finalResponse();
  const whole = await model.respond(params);

  const container = { container_id: expect.any(String) };
  const expected = withoutIds(whole).map((item) => ('container_id' in item ? { ...item, ...container } : item));
  expect(withoutIds(streamed)).toMatchObject(expected);
});

test('a failed hosted call has the status failed and no image', async ({ model }) => {
  const sim = { final: { hosted: hosted.map((call) => ({ ...call, failed: true })) } };
  const { output } = await model.respond({ ...script(sim), tools });
  const { events } = await model.readEvents({ ...script(sim), tools });

  expect(output.slice(0, 4)).toMatchObject(hosted.map(() => ({ status: 'failed' })));
  expect(output[3]).toMatchObject({ result: null });
  expect(events.filter(({ name }) => /_call\.completed$/.test(name!))).toEqual([]);
});

test('only offered hosted tools are called, and no tool if the choice is none', async ({ model }) => {
  const one = await model.respond({ ...everything, tools: tools.slice(0, 1) });
  const forbidden = await model.respond({ ...everything, tools, tool_choice: 'none' });
  const without = await model.respond(everything);

  expect(typesOf(one.output)).toEqual(['reasoning', 'web_search_call', 'message']);
  for (const { output } of [forbidden, without]) {
    expect(typesOf(output)).toEqual(['reasoning', 'message']);
    expect(output[1]).toMatchObject({ content: [{ annotations: [] }] });
  }
});

test('hosted calls of a script have no effect over Chat Completions', async () => {
  await using model = await askSimulator();
  const content = JSON.stringify({ sim: { final: { say: 'Hi.', hosted, citations } } });

  const { choices } = await model.complete({ messages: [{ role: 'user', content }] });

  expect(choices[0]?.message).toMatchObject({ content: 'Hi.' });
});

test('hosted items are accepted in the next request', async ({ model }) => {
  const params = { tools, ...stateless, include };
  const { output } = await model.respond({ ...everything, ...params });

  const next = await model.post({ ...params, input: [...everything.input, ...sentBack(output), ...script({}).input] });

  expect(next.status).toBe(200);
});

const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'Bern' } };
const drawn = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0K' };
const ran = { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: '', container_id: 'cntr_1' };
const plotted = { ...ran, outputs: [{ type: 'image', url: '' }] };

test.for<[string, object, string]>([
  ['an unknown tool', { tools: [{ type: 'web_fetch' }] }, 'tools[0].type'],
  ['an unknown option of a tool', { tools: [{ type: 'web_search', max_uses: 3 }] }, 'tools[0].max_uses'],
  ['code without a container', { tools: [{ type: 'code_interpreter' }] }, 'tools[0].container'],
  ['file search without stores', { tools: [{ type: 'file_search' }] }, 'tools[0].vector_store_ids'],
  ['an unknown include', { include: ['web_search_call.sources'] }, 'include[0]'],
  ['a hosted item without an id', { input: [{ ...search, id: undefined }] }, 'input[0].id'],
  ['a hosted item without a status', { input: [{ ...search, status: undefined }] }, 'input[0].status'],
  ['a hosted item with an unknown field', { input: [{ ...search, offset: 0 }] }, 'input[0].offset'],
  ['an image without data', { input: [{ ...drawn, result: '' }] }, 'input[0].result'],
  ['a plot without data', { input: [plotted] }, 'input[0].outputs[0].url'],
  ['a hosted item twice', { input: [search, search] }, 'input'],
])('the Responses wire refuses %s', async ([, params, param], { model }) => {
  const response = await model.post(params);

  expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
});

test('a background response has the hosted calls of its script', async ({ model }) => {
  const { events } = await model.readEvents({ ...everything, tools, ...stateless, background: true });

  const last = events.at(-1)!.event;
  expect(last).toMatchObject({ type: 'response.completed' });
  expect(last.type === 'response.completed' && typesOf(last.response.output).slice(1, 5)).toEqual([
    ...['web_search_call', 'code_interpreter_call', 'file_search_call', 'image_generation_call'],
  ]);
});
