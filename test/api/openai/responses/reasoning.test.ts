import type OpenAI from 'openai';
import { test as base, expect } from 'vitest';
import { opening } from '#test/harness/opening.ts';
import { raised } from './openai-client.ts';
import {
  again,
  type Body,
  type Item,
  include,
  open,
  result,
  sentBy,
  statesOf,
  talking,
  tools,
  user,
  wires,
} from './reasoning-wires.ts';

const test = base.extend('opened', opening(open));

test.for(wires)(
  'a client that sends all items again keeps the reasoning state, with $name',
  async (wire, { opened }) => {
    const { asks, says } = talking(opened, wire);

    const asked = await asks({ input: [user('Where?')], store: false });
    const input = [user('Where?'), ...again(asked), result];
    const done = await says({ input, store: false });
    const first = sentBy(opened);
    await says({ input: [...input, ...again(done), user('And?')], store: false });
    const second = sentBy(opened);

    expect([...asked.output, ...done.output].map(({ type }) => type)).toEqual([
      ...['reasoning', 'message', 'function_call', 'reasoning', 'message'],
    ]);
    expect(wire.signed.map((state) => first.includes(state))).toEqual([true, false]);
    expect(wire.signed.map((state) => second.includes(state))).toEqual([true, true]);
    const stored = await asks({ input: [user('Where?')] });
    const next = await says({ input: [result], previous_response_id: stored.id });
    expect(sentBy(opened)).toBe(first);
    await says({ input: [user('And?')], previous_response_id: next.id });
    expect(sentBy(opened)).toBe(second);
  },
);

test.for(wires)('a foreign or forged reasoning state is never sent, with $name', async (wire) => {
  await using opened = await open();
  const { asks, says, create } = talking(opened, wire);
  const asked = await asks({ input: [user('Where?')] });
  const input = [user('Where?'), ...again(asked), result];
  const withState = (state: unknown) =>
    input.map((item) => (item.type === 'reasoning' ? { ...item, encrypted_content: state } : item)) as Item[];
  const own = String(statesOf(asked.output)[0]);
  const forged = [own.slice(0, -4) + own.slice(-3), `${own}A`, 'gAAAAABo', '', null, 7, { a: 1 }];

  for (const state of forged) await says({ input: withState(state) }).then(() => expectNone());
  await opened.elsewhere.responses.create({ model: wire.model, tools, input });
  expectNone();
  opened.server.answer({ body: wires.find(({ model }) => model === wire.other)!.says });
  const { id } = await create({ model: wire.other, input } as Body);
  expectNone();

  expect((await opened.client.responses.inputItems.list(id)).data.map(({ type }) => type)).not.toContain('reasoning');

  function expectNone() {
    expect(sentBy(opened)).toContain('Wait.');
    expect(sentBy(opened)).not.toContain(wire.signed[0]);
  }
});

test.for(wires)(
  'a reference to reasoning adds its state if the history lacks it, with $name',
  async (wire, { opened }) => {
    const { asks, says } = talking(opened, wire);
    const asked = await asks({ input: [user('Where?')], include: null });
    const stored = await asks({ input: [user('Where?')] });
    const references = stored.output.map(({ id }): Item => ({ type: 'item_reference', id: id! }));

    await says({ input: [user('Where?'), ...references, result] });
    const alone = sentBy(opened);
    await says({ input: [result], previous_response_id: asked.id });

    expect(alone).toContain(wire.signed[0]);
    expect(alone).toBe(sentBy(opened));
    await says({ input: [...references, result], previous_response_id: stored.id });
    expect(sentBy(opened)).toBe(alone);
  },
);

test.for(wires)(
  'reasoning state is in all answers of a response that requests it, with $name',
  async (wire, { opened }) => {
    const { client } = opened;
    const { asks, says } = talking(opened, wire);

    const asked = await asks({ input: [user('Where?')] });
    const done = await says({ input: [...again(asked), result] });
    const plain = await asks({ input: [user('Where?')], include: null });

    expect(statesOf(asked.output)).toEqual([expect.stringMatching(/^pawl1\./)]);
    expect(JSON.stringify(asked)).not.toContain(wire.signed[0]);
    expect((await client.responses.retrieve(asked.id)).output).toEqual(asked.output);
    expect((await client.responses.cancel(asked.id)).output).toEqual(asked.output);
    expect(statesOf((await client.responses.inputItems.list(done.id)).data)).toHaveLength(1);
    expect(statesOf(plain.output)).toEqual([]);
    expect(statesOf((await client.responses.retrieve(plain.id)).output)).toEqual([]);
    expect(statesOf((await client.responses.retrieve(plain.id, { include })).output)).toHaveLength(1);
    const sentAgain = await says({ input: [...again(asked), result], include: null });
    expect(statesOf((await client.responses.inputItems.list(sentAgain.id)).data)).toEqual([]);
    const listed = await client.responses.inputItems.list(sentAgain.id, { include, order: 'asc' });
    expect(listed.data.map(({ type }) => type)).toEqual([
      ...['reasoning', 'message', 'function_call', 'function_call_output'],
    ]);
    await says({ input: listed.data as Item[] });
    expect(sentBy(opened)).toContain(wire.signed[0]);
  },
);

test.for(wires)(
  'a stream sends reasoning state at the end of its round, with $name',
  async (wire, { opened: { client, server } }) => {
    server.answer({ body: wire.asks });

    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    const stream = client.responses.stream({ model: wire.model, tools, include, input: [user('Where?')] });
    for await (const event of stream) events.push(event);
    const { id, output } = await stream.finalResponse();
    const retrieved = await client.responses.retrieve(id);

    const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
    expect(JSON.stringify(done)).toBe(JSON.stringify(retrieved.output));
    const last = events.at(-1);
    expect(last?.type === 'response.completed' && JSON.stringify(last.response.output)).toBe(JSON.stringify(done));
    expect(output.map((item) => item.id)).toEqual(done.map((item) => item.id));
    const types = events.map(({ type }) => type);
    expect(types.indexOf('response.output_text.delta')).toBeLessThan(types.indexOf('response.output_item.done'));
    const replayed: string[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true }))
      replayed.push(JSON.stringify(event));
    expect(replayed.slice(3)).toEqual(expect.arrayContaining(withoutDeltas(events).slice(3)));
  },
);

test('a reasoning effort that the wire does not support is refused before a request', async ({ opened }) => {
  const ask = (model: string, effort: OpenAI.ReasoningEffort) =>
    raised(opened.client.responses.create({ model, input: 'Hi', reasoning: { effort } }));

  const refused = [await ask('anthropic/claude-opus-5', 'minimal'), await ask('gemini/gemini-3-pro', 'xhigh')];

  for (const error of refused) {
    expect(error).toMatchObject({ status: 400, code: 'unsupported_value', param: 'reasoning.effort' });
  }
  expect(opened.server.asked).toEqual([]);
});

test.for([
  ['anthropic/claude-opus-5', '"thinking":{"type":"adaptive","display":"summarized"}'],
  ['gemini/gemini-3-pro', '"thinkingConfig":{"thinkingLevel":"low","includeThoughts":true}'],
] as const)('a reasoning summary makes %s show its thoughts', async ([model, thinking], { opened }) => {
  opened.server.answer({ body: wires.find((wire) => wire.model === model)!.says });
  const create = (summary: 'auto' | null) =>
    opened.client.responses.create({ model, input: 'Hi', reasoning: { effort: 'low', summary } });

  await create(null);
  expect(sentBy(opened)).not.toContain(thinking);
  await create('auto');
  expect(sentBy(opened)).toContain(thinking);
});

test.for(['auto', 'concise', 'detailed'] as const)(
  'the wire Responses receives the summary %s unchanged',
  async (summary, { opened }) => {
    const { says } = talking(opened, wires.find(({ name }) => name === 'Responses')!);

    await says({ input: 'Hi', reasoning: { effort: 'low', summary } });

    expect(opened.server.asked.at(-1)!.body.reasoning).toEqual({ effort: 'low', summary });
  },
);

/** Returns the events that a later stream repeats exactly. It omits deltas, which depend on time. */
function withoutDeltas(events: { type: string }[]): string[] {
  return events.filter(({ type }) => !type.endsWith('_text.delta')).map((event) => JSON.stringify(event));
}
