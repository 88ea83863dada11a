import { expect } from 'vitest';
import { script, test } from '../responses/ask-responses.ts';
import { allOf, answer, ask, createOf, disconnectAfter, HOUR_MS, idOf, paused, statusOf } from './ask-background.ts';

test('a background response without a stream is queued at once and then completed', async ({ model }) => {
  const created = await createOf(model, { answer, final: { background: { queued_ms: HOUR_MS } } });
  const before = await model.openai.responses.retrieve(created.id);
  model.simulator.responses.skipDelay(created.id);
  const after = await model.openai.responses.retrieve(created.id);

  expect(created).toMatchObject({ id: expect.stringMatching(/^resp_/), object: 'response', status: 'queued' });
  expect(created).toMatchObject({ background: true, output: [], usage: null });
  expect(before).toEqual(created);
  expect(after).toMatchObject({ id: created.id, status: 'completed', background: true, output_text: answer });
  expect(after.usage?.output_tokens).toBeGreaterThan(0);
});

test('a background response outlives its connection, and its stream resumes', async ({ model }) => {
  const first = await disconnectAfter(model, 4, paused);
  const [{ id }] = first.responses;

  const running = await model.openai.responses.retrieve(id);
  const resumed = await model.openai.responses.retrieve(id, { stream: true, starting_after: first.lastNumber });
  model.simulator.responses.skipDelay(id);
  const rest = await allOf(resumed);
  const replayed = await allOf(await model.openai.responses.retrieve(id, { stream: true }));

  expect(running).toMatchObject({ status: 'in_progress', output: [] });
  expect(first.events.slice(0, 3).map(statusOf)).toEqual([
    ['response.created', 'queued'],
    ['response.queued', 'queued'],
    ['response.in_progress', 'in_progress'],
  ]);
  expect([...first.events, ...rest]).toEqual(replayed);
  expect(replayed.map((event) => event.sequence_number)).toEqual(replayed.keys().toArray());
  expect(replayed.flatMap((event) => (event.type === 'response.output_text.delta' ? event.delta : [])).join('')).toBe(
    answer,
  );
  expect(replayed.at(-1)).toMatchObject({ type: 'response.completed', response: { id, output: [{}] } });
});

test('a stream after the last event of an ended background response is empty', async ({ model }) => {
  const { events } = await model.readEvents({ ...script({ answer }), background: true });
  const { id } = idOf(events.at(0)!.event);

  const stream = await model.openai.responses.retrieve(id, { stream: true, starting_after: events.length - 1 });

  expect(await allOf(stream)).toEqual([]);
});

test('a cancel ends the stream of a background response, and may be repeated', async ({ model }) => {
  const first = await disconnectAfter(model, 4, paused);
  const [{ id }] = first.responses;
  const stream = await model.openai.responses.retrieve(id, { stream: true, starting_after: first.lastNumber });

  const cancelled = await model.openai.responses.cancel(id);
  const again = await model.openai.responses.cancel(id);
  const last = (await allOf(stream)).at(-1);

  expect(cancelled).toMatchObject({ id, status: 'cancelled', output: [] });
  expect(again).toEqual(cancelled);
  expect(last).toMatchObject({ type: 'response.cancelled', response: { status: 'cancelled' } });
  expect(await model.openai.responses.retrieve(id)).toMatchObject(cancelled);
});

test('a cancel of a completed background response returns it unchanged', async ({ model }) => {
  const { id } = await createOf(model, { answer });

  const cancelled = await model.openai.responses.cancel(id);

  expect(cancelled).toMatchObject({ status: 'completed', output: [{ content: [{ text: answer }] }] });
});

test('a deleted response is not found, and its stream breaks', async ({ model }) => {
  const first = await disconnectAfter(model, 4, paused);
  const [{ id }] = first.responses;
  const stream = await model.openai.responses.retrieve(id, { stream: true });

  const deleted = await ask(model, `/${id}`, 'DELETE');
  const again = await ask(model, `/${id}`, 'DELETE');

  expect(deleted).toEqual({ status: 200, body: { id, object: 'response', deleted: true } });
  expect(again.status).toBe(404);
  expect(model.simulator.responses.list()).toEqual([]);
  await expect(allOf(stream)).rejects.toThrow();
});

test('a lost response is not found, and its stream breaks', async ({ model }) => {
  const { responses, events } = await disconnectAfter(model, 4, paused);
  const stream = await model.openai.responses.retrieve(responses[0].id, { stream: true });

  model.simulator.responses.lose(responses[0].id);

  expect(events).toHaveLength(4);
  expect((await ask(model, `/${responses[0].id}`)).status).toBe(404);
  await expect(allOf(stream)).rejects.toThrow();
});
