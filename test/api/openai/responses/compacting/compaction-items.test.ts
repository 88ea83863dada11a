import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { enterNow } from '#test/harness/enter-now.ts';
import { scripted } from '#test/harness/scripted.ts';
import { raised } from '../openai-client.ts';
import { asInput, compacting, type Input, lastMessages, textsOf } from './compact-history.ts';

const hello = scripted({ answer: 'Hello, Ada.', summary: { say: 'Ada met a pangolin.' } });
const read = 'Summary of the conversation so far, which stands in its place:\n\nAda met a pangolin.';
const keys = { PAWL_API_KEYS: 'alpha:key-a,beta:key-b' };

async function openCompacted(env: Record<string, string> = {}) {
  const harness = await createHarness({ env });
  const worker = await startBackgroundWorker(harness);
  const pawl = compacting(harness, '/openai/v1', 'key-a');
  const output = asInput(await pawl.compact({ input: hello }));
  return {
    ...{ harness, ...pawl, output, sealed: output[1] as { encrypted_content: string } },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    },
  };
}

test('items of a response show a compaction, which can be sent again', async () => {
  await using pawl = await openCompacted();
  const { harness, client, create, output } = pawl;
  const { id } = await create({ input: [...output, { role: 'user', content: 'And now?' }] });
  const x = id.replace('resp_', '');

  const { data } = await client.responses.inputItems.list(id, { order: 'asc' });
  const reference: Input = [{ type: 'item_reference', id: `cmp_${x}_i1` }];
  await create({ input: [...reference, { role: 'user', content: 'Who?' }] });
  const afterReference = lastMessages(harness);
  await create({ input: [data[1], { role: 'user', content: 'Who?' }] as Input });
  const { body: turn } = await harness.call('GET', `/v1/turns/turn_${x}`);
  const { body: messages } = await harness.call('GET', `/v1/conversations/${turn.conversation_id}/messages`);

  expect(data).toMatchObject([
    { type: 'message', role: 'user' },
    { id: `cmp_${x}_i1`, type: 'compaction', encrypted_content: expect.stringMatching(/^pawl1\./) },
    { type: 'message', role: 'user' },
  ]);
  for (const sent of [afterReference, lastMessages(harness)]) {
    expect(sent).toMatchObject([{ role: 'user', content: read }, { content: 'Who?' }]);
  }
  expect(messages.data).toMatchObject([{ content: hello }, { role: 'user', content: read }, {}, {}]);
});

test('a conversation lists a compaction among its items until it is deleted', async () => {
  await using pawl = await openCompacted();
  const { harness, client, create, output } = pawl;
  const { id } = await client.conversations.create({ items: output });
  const [, compaction] = (await client.conversations.items.list(id, { order: 'asc' })).data;
  const added = await client.conversations.items.create(id, { items: [output[1]!] });
  await create({ conversation: id, input: 'And now?' });
  const before = lastMessages(harness);

  await client.conversations.items.delete(compaction!.id!, { conversation_id: id });
  await create({ conversation: id, input: 'And now?' });

  for (const item of [compaction, added.data[0]]) {
    expect(item).toMatchObject({ type: 'compaction', encrypted_content: expect.stringMatching(/^pawl1\./) });
  }
  expect(await client.conversations.items.retrieve(added.data[0]!.id!, { conversation_id: id })).toEqual(added.data[0]);
  expect(before.map(({ content }) => content)).toEqual([hello, read, read, 'And now?']);
  expect(lastMessages(harness).map(({ content }) => content)).toEqual([
    ...[hello, read, 'And now?', expect.any(String), 'And now?'],
  ]);
});

test('a token count, a fork and a rerun include the compaction of an input', async () => {
  await using pawl = await openCompacted();
  const { harness, client, create, output } = pawl;
  const { input_tokens } = await client.responses.inputTokens.count({ input: [output[1]!] });
  const { id } = await create({ input: [output[1]!, { role: 'user', content: 'And now?' }] });
  const turn = `/v1/turns/${id.replace('resp_', 'turn_')}`;

  await harness.call('POST', `${turn}/rerun`, { body: {} });
  await harness.workUntilIdle();
  const rerun = lastMessages(harness);
  await create({ input: 'One', previous_response_id: id });
  await create({ input: 'Two', previous_response_id: id });

  expect(input_tokens).toBe(4 + Math.ceil(read.length / 4));
  expect(rerun).toMatchObject([{ content: read }, { content: 'And now?' }]);
  expect(lastMessages(harness)).toMatchObject([{ content: read }, { content: 'And now?' }, {}, { content: 'Two' }]);
});

test('a search finds a turn by the words of a compaction in its input', async () => {
  await using pawl = await openCompacted();
  const { harness, create, output } = pawl;
  const { id } = await create({ input: [output[1]!, { role: 'user', content: 'And now?' }] });
  await enterNow(harness);

  const { body } = await harness.call<{ data: { id: string }[] }>('GET', '/v1/turns?q=pangolin');

  expect(body.data.map((turn) => turn.id)).toEqual([id.replace('resp_', 'turn_')]);
});

test('every route refuses a forged compaction and a compaction of another project', async () => {
  await using pawl = await openCompacted(keys);
  const { harness, output, sealed } = pawl;
  const other = compacting(harness, '/openai/v1', 'key-b');
  const forged = `${sealed.encrypted_content.slice(0, -2)}AA`;
  const refused = (client: typeof pawl, encrypted_content: string) => {
    const items: Input = [
      { role: 'user', content: 'Hi' },
      { type: 'compaction', encrypted_content },
    ];
    const { responses, conversations } = client.client;
    return [
      client.create({ input: items }),
      client.compact({ input: items }),
      responses.inputTokens.count({ input: items }),
      conversations.create({ items }),
    ];
  };

  const answers = [
    ...refused({ ...pawl, ...other }, sealed.encrypted_content),
    ...refused(pawl, forged),
    ...refused(pawl, 'gAAAA'),
  ];

  for (const [index, answer] of answers.entries()) {
    const param = `${index % 4 === 3 ? 'items' : 'input'}[1].encrypted_content`;
    const message = expect.stringContaining(`\`${param}\` is not the content of a compaction of this project. Send`);
    expect(await raised(answer)).toMatchObject({ status: 400, code: 'invalid_encrypted_content', param, message });
  }
  expect(await raised(pawl.create({ input: [{ type: 'compaction' }] as never }))).toMatchObject({
    ...{ status: 400, param: 'input[0].encrypted_content' },
  });
  expect(textsOf(await pawl.compact({ input: output }))).toEqual([hello, 'compaction']);
});
