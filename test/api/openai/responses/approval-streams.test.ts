import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { answered, asking, openApproving, pay, requestsOf } from './approving.ts';

type Event = OpenAI.Responses.ResponseStreamEvent;

async function all(events: AsyncIterable<Event>): Promise<Event[]> {
  const received: Event[] = [];
  for await (const event of events) received.push(event);
  return received;
}

const typesOf = (events: Event[]) => events.map(({ type }) => type.slice(9));
const called = [
  ...['output_item.added', 'mcp_call_arguments.delta', 'mcp_call_arguments.done', 'mcp_call.in_progress'],
  ...['mcp_call.completed', 'output_item.done'],
];
const said = [
  ...['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'],
  'output_item.done',
];

describeQueue(({ redis }) => {
  test('the OpenAI client streams an approval request and the call that it allows', async () => {
    await using opened = await openApproving({ redis });
    await using _worker = await startBackgroundWorker(opened.harness);
    const { client, tools } = opened;

    const asked = await client.responses.stream({ model: 'test', input: asking(pay()), tools }).finalResponse();
    const next = await client.responses
      .stream({ model: 'test', previous_response_id: asked.id, input: [answered(requestsOf(asked)[0]!)] })
      .finalResponse();
    const denied = await client.responses.create({
      ...{ model: 'test', previous_response_id: asked.id },
      input: [answered(requestsOf(asked)[0]!, false)],
    });

    expect(asked.output.map(({ type }) => type)).toEqual(['message', 'mcp_approval_request']);
    expect(next.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
    expect(next.output).toMatchObject((await client.responses.retrieve(next.id)).output);
    expect(denied.output_text).toBe('All is paid.');
    expect(opened.called()).toHaveLength(1);
  });
});

test('a request is streamed at once, and an allowed call before the first round', async () => {
  await using opened = await openApproving();
  await using _worker = await startBackgroundWorker(opened.harness);
  const { client, tools } = opened;
  const body = { model: 'test', stream: true as const };

  const asked = await all(await client.responses.create({ ...body, input: asking(pay()), tools }));
  const last = asked.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
  const [request] = requestsOf(last.response);
  const input = [answered(request!)];
  const received = await all(await client.responses.create({ ...body, previous_response_id: last.response.id, input }));

  expect(typesOf(asked).slice(-3)).toEqual(['output_item.added', 'output_item.done', 'completed']);
  const deltas = typesOf(received).filter((type, index, types) => type !== types[index - 1]);
  expect(deltas).toEqual(['created', 'in_progress', ...called, ...said, 'completed']);
  expect(received[0]).toMatchObject({ type: 'response.created', response: { output: [] } });
  expect(received.slice(2, 8)).toMatchObject(
    Array.from(called, () => ({ output_index: 0, sequence_number: expect.any(Number) })),
  );
});

test('a stream continues after any event of allowed calls, during and after the run', async () => {
  await using opened = await openApproving();
  const { client, harness } = opened;
  const asked = await opened.ask(pay('call_a'), pay('call_b'));
  const input = asked.requests.map((id) => answered(id));
  const { id } = await opened.start({ previous_response_id: asked.id, input });

  const following = all(await client.responses.retrieve(id, { stream: true }));
  await harness.workUntilIdle();
  const live = await following;
  const numbers = live.map(({ sequence_number }) => sequence_number);

  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  for (const [index, number] of numbers.entries()) {
    const rest = await all(await client.responses.retrieve(id, { stream: true, starting_after: number }));
    expect(rest.filter(({ type }) => !type.endsWith('delta'))).toEqual(
      live.slice(index + 1).filter(({ type }) => !type.endsWith('delta')),
    );
  }
});

test('a response cancelled before its allowed calls run streams the calls as failed', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay());
  const { id } = await opened.start({ previous_response_id: asked.id, input: [answered(asked.requests[0]!)] });
  await opened.client.responses.cancel(id);

  const received = await all(await opened.client.responses.retrieve(id, { stream: true }));

  const failed = [...called.slice(0, 4), 'mcp_call.failed', 'output_item.done'];
  expect(typesOf(received)).toEqual(['created', 'queued', ...failed, 'incomplete']);
  expect(received.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 3, 4, 5, 6, 7, 8, 9]);
});
