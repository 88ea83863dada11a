import { expect } from 'vitest';
import { getWeather, script, stateless, test } from './ask-responses.ts';

const call = { name: 'get_weather', arguments: { city: 'Tokyo' } };
const everything = {
  rounds: [{ reasoning: 'hm', say: 'Well', refusal: 'no', tools: [call] }],
  piece_chars: 10,
};

test('a Responses stream has the events of each item in order', async ({ model }) => {
  const { events, ended } = await model.readEvents({ ...script(everything), tools: [getWeather] });

  expect(events.map(({ name }) => name!.replace('response.', ''))).toEqual([
    ...['created', 'in_progress'],
    ...['output_item.added', 'reasoning_summary_part.added'],
    ...['reasoning_summary_text.delta', 'reasoning_summary_text.done'],
    ...['reasoning_summary_part.done', 'output_item.done'],
    ...['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'],
    ...['content_part.added', 'refusal.delta', 'refusal.done', 'content_part.done', 'output_item.done'],
    ...['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.delta'],
    ...['function_call_arguments.done', 'output_item.done'],
    'completed',
  ]);
  expect(events.every(({ name, event }) => name === event.type)).toBe(true);
  expect(events.map(({ event }) => event.sequence_number)).toEqual(events.keys().toArray());
  expect(ended).toBe('clean');
});

test('events of a Responses stream name their item, and done events repeat it', async ({ model }) => {
  const { events } = await model.readEvents({ ...script(everything), tools: [getWeather] });

  const last = events.at(-1)!.event;
  const { output } = last.type === 'response.completed' ? last.response : { output: [] };
  const done = events.flatMap(({ event }) => (event.type === 'response.output_item.done' ? [event.item] : []));
  const inner = events.flatMap(({ event }) => ('item_id' in event ? [event] : []));
  expect(done).toEqual(output);
  expect(output).toHaveLength(3);
  expect(inner.every((event) => output[event.output_index]!.id === event.item_id)).toBe(true);
});

test('the SDK reads a streamed response like the whole response', async ({ model }) => {
  const params = { ...script({ ...everything, piece_chars: 3 }), tools: [getWeather], ...stateless };
  const deltas: string[] = [];

  const stream = model.stream(params);
  stream.on('response.function_call_arguments.delta', ({ delta }) => deltas.push(delta));
  const streamed = await stream.finalResponse();
  const whole = await model.respond(params);

  const withoutIds = ({ output }: { output: { id?: string | null }[] }) => output.map(({ id, ...item }) => item);
  expect(deltas.slice(0, 2)).toEqual(['{"c', 'ity']);
  expect(withoutIds(streamed)).toMatchObject(withoutIds(whole));
  expect(streamed).toMatchObject({ status: 'completed', usage: whole.usage });
});

test('function calls of a Responses stream are sequential or interleaved', async ({ model }) => {
  const rounds = [{ tools: [call, { ...call, id: 'mine' }] }];

  for (const interleave of [false, true]) {
    const sim = { rounds, interleave, piece_chars: 4 };
    const { events } = await model.readEvents({ ...script(sim), tools: [getWeather] });

    const indexes = events.flatMap(({ event }) =>
      event.type === 'response.function_call_arguments.delta' ? [event.output_index] : [],
    );
    expect(indexes.slice(0, 4)).toEqual(interleave ? [0, 1, 0, 1] : [0, 0, 0, 0]);
  }
});

test('a Responses stream ends as incomplete or failed if the script says so', async ({ model }) => {
  const last = async (reason: string) => {
    const { events } = await model.readEvents(script({ final: { finish_reason: reason } }));
    return events.at(-1)!.event;
  };

  expect(await last('length')).toMatchObject({
    type: 'response.incomplete',
    response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  });
  expect(await last('failed')).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error' } },
  });
});

test('a paced Responses stream writes one delta at a time', async ({ model }) => {
  const response = await model.post({ ...script({ answer: 'ab', piece_chars: 1, pace_ms: 60_000 }), stream: true });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();

  const { value } = await reader.read();
  await reader.cancel();

  expect(value).toContain('response.content_part.added');
  expect(value).not.toContain('response.output_text.delta');
});
