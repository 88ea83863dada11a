import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../refusals.ts';
import { countBlobs, image, PDF, PNG, pathOf, tablesWith, text, user } from './samples.ts';

const PAWL_TOOLS = new URL('./picture-tools.ts', import.meta.url).pathname;
const asks = (...names: string[]) =>
  scripted({
    rounds: [{ tools: names.map((name, at) => ({ name, arguments: {}, id: `call_${at}` })) }],
    answer: 'Seen.',
  });
const look = { name: 'look_around', description: 'Looks around with the camera', execution: { kind: 'client' } };
const resultsOf = (turn: TurnResource) => turn.rounds[0]!.results;
const shownPicture = { type: 'input_image', image_url: pathOf(PNG) };

function lastMessages({ modelRequests }: Harness) {
  const { messages } = modelRequests.at(-1)!.body as { messages: { role: string; content: unknown }[] };
  return messages;
}

test('parts of a server tool reach the model, and reads show the paths of their blobs', async () => {
  await using harness = await createHarness({ env: { PAWL_TOOLS } });

  const { id } = await harness.startTurn({ input: asks('take_picture'), tools: ['take_picture'] });
  await harness.workUntilIdle({ deliveries: 2 });
  const turn = await harness.findTurn(id);

  const content = [
    text('As it is now:'),
    shownPicture,
    { type: 'input_file', file_data: pathOf(PDF), filename: 'about.pdf' },
  ];
  expect(turn).toMatchObject({ status: 'completed', rounds: [{ results: [{ status: 'success', content }] }, {}] });
  const { body } = await harness.call('GET', `/v1/turns/${id}/tool_outputs/call_0`);
  expect(body).toEqual({ tool_call_id: 'call_0', output: content, truncated: false });
  expect(lastMessages(harness).slice(-2)).toMatchObject([
    { role: 'tool', content: 'As it is now:\n[image]\n[file: about.pdf]' },
    {
      role: 'user',
      content: [{}, {}, { image_url: { url: image(PNG).image_url } }, { file: { filename: 'about.pdf' } }],
    },
  ]);
  expect(await tablesWith(harness, PNG.slice(0, 40))).toEqual([]);
  expect(await countBlobs(harness)).toEqual({ blobs: 2, references: 2 });
});

test('a reused result refers to the same blobs', async () => {
  await using harness = await createHarness({ env: { PAWL_TOOLS } });
  const first = await harness.startTurn({ input: asks('take_picture'), tools: ['take_picture'] });
  await harness.workUntilIdle();

  const again = { body: { input: asks('take_picture') } };
  const { body } = await harness.call<TurnResource>('POST', `/v1/conversations/${first.conversation_id}/turns`, again);
  await harness.workUntilIdle();

  expect(resultsOf(await harness.findTurn(body.id))).toMatchObject([{ cached: true, content: [{}, shownPicture, {}] }]);
  expect(await countBlobs(harness)).toEqual({ blobs: 2, references: 4 });
});

test('invalid parts of a tool become an error that the model reads', async () => {
  await using harness = await createHarness({ env: { PAWL_TOOLS } });

  const { id } = await harness.startTurn({ input: asks('take_broken_picture'), tools: ['take_broken_picture'] });
  await harness.workUntilIdle();

  expect(resultsOf(await harness.findTurn(id))).toMatchObject([
    {
      status: 'error',
      content: null,
      error: { category: 'unknown', message: expect.stringContaining('[0].image_url') },
    },
  ]);
  expect(await countBlobs(harness)).toEqual({ blobs: 0, references: 0 });
});

test('the output limit cuts the texts of a result together, and keeps the full result', async () => {
  await using harness = await createHarness({ env: { PAWL_TOOLS, PAWL_TOOL_OUTPUT_LIMIT: '250' } });

  const { id } = await harness.startTurn({ input: asks('tell_a_lot'), tools: ['tell_a_lot'] });
  await harness.workUntilIdle();
  const turn = await harness.findTurn(id);

  const cut = `${'b'.repeat(25)}\n[… 50 bytes cut …]\n${'b'.repeat(25)}`;
  expect(resultsOf(turn)).toMatchObject([
    { truncated: true, content: [text('ä'.repeat(100)), shownPicture, text(cut)] },
  ]);
  const { body } = await harness.call('GET', `/v1/turns/${id}/tool_outputs/call_0`);
  expect(body).toMatchObject({
    output: [text('ä'.repeat(100)), shownPicture, text('b'.repeat(100))],
    truncated: false,
  });
});

async function startWaiting(harness: Harness): Promise<string> {
  const { id } = await harness.startTurn({ input: asks('look_around'), tools: [look] });
  await harness.workUntilIdle();
  return id;
}

const submit = (harness: Harness, id: string, output: unknown) =>
  harness.call<TurnResource>('POST', `/v1/turns/${id}/tool_outputs`, {
    body: { tool_outputs: [{ tool_call_id: 'call_0', output }] },
  });

test('a client may repeat a result with parts, but not change it', async ({ harness }) => {
  const id = await startWaiting(harness);

  expect(describeRefusal(await submit(harness, id, [text('Look'), image('%%')]))).toBe(
    '400 invalid_value: tool_outputs[0].output[1].image_url',
  );
  const { status, body } = await submit(harness, id, [text('Look'), image(PNG)]);
  const again = await submit(harness, id, [text('Look'), image(PNG)]);
  const other = await submit(harness, id, [text('Look')]);
  await harness.workUntilIdle();

  expect([status, again.status, other.status]).toEqual([200, 200, 409]);
  expect(resultsOf(body)).toMatchObject([{ content: [text('Look'), shownPicture] }]);
  expect(lastMessages(harness).at(-1)).toMatchObject({
    content: [{}, {}, { image_url: { url: image(PNG).image_url } }],
  });
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 1 });
});

test('a result list stays JSON if an element is not a valid part', async ({ harness }) => {
  for (const output of [[], [text('Look'), 'here'], [{ type: 'input_other' }], { parts: [text('Look')] }]) {
    const { body } = await submit(harness, await startWaiting(harness), output);
    expect.soft(resultsOf(body)).toMatchObject([{ content: JSON.stringify(output) }]);
  }
});

test('a client may answer with a blob path that a read has shown', async ({ harness }) => {
  await harness.startTurn({ input: user(image(PNG)) });
  const id = await startWaiting(harness);

  const { body } = await submit(harness, id, [shownPicture]);

  expect(resultsOf(body)).toMatchObject([{ content: [shownPicture] }]);
  expect(await countBlobs(harness)).toEqual({ blobs: 1, references: 2 });
});

test('images of an MCP server become parts of the result', async () => {
  await using server = await openExternalMcpServer({ images: [PNG, 'AAAA'] });
  await using harness = await createHarness({ env: { PAWL_MCP: JSON.stringify({ cities: { url: server.url } }) } });

  const { id } = await harness.startTurn({ input: asks('cities__show_map'), tools: ['cities__show_map'] });
  await harness.workUntilIdle();

  expect(resultsOf(await harness.findTurn(id))).toMatchObject([
    { content: [text('The map:'), shownPicture, text('[image, image/png, 3 bytes]')] },
  ]);
});
