import { expect } from 'vitest';
import { type askResponses, getWeather, script, test } from './ask-responses.ts';

const withFault = (fault: Record<string, unknown>, more = {}) =>
  script({ answer: 'It is sunny in Tokyo.', piece_chars: 4, final: { fault, ...more } });

type Events = Awaited<ReturnType<Awaited<ReturnType<typeof askResponses>>['readEvents']>>['events'];

const textOf = (events: Events) =>
  events.map(({ event }) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
const names = (events: Events) => events.map(({ name }) => name);

test('status and times: a fault of the script fails a Responses request', async ({ model }) => {
  const input = withFault({ kind: 'status', status: 429, retry_after: 1, times: 1 });

  const error = await model.respond(input).catch((thrown) => thrown);
  const second = await model.respond(input, { headers: { 'x-client-request-id': 't.1.1' } });

  expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  expect(error.headers.get('retry-after')).toBe('1');
  expect(second.output_text).toBe('It is sunny in Tokyo.');
});

test('cut: a Responses stream breaks off in the text or within arguments', async ({ model }) => {
  const round = { say: 'Ok.', tools: [{ name: 'get_weather', arguments: { city: 'Tokyo' } }] };
  const inArguments = { ...round, fault: { kind: 'cut', after_chars: 3 + '{"city":"To'.length } };

  const text = await model.readEvents(withFault({ kind: 'cut', after_chars: 6 }));
  const args = await model.readEvents({ ...script({ rounds: [inArguments] }), tools: [getWeather] });

  const deltas = args.events.map(({ event }) =>
    event.type === 'response.function_call_arguments.delta' ? event.delta : '',
  );
  expect([textOf(text.events), text.ended]).toEqual(['It is ', 'broken']);
  expect([deltas.join(''), args.ended]).toEqual(['{"city":"To', 'broken']);
  expect(names(text.events)).not.toContain('response.output_text.done');
});

test('no_finish: a Responses stream ends cleanly without a terminal event', async ({ model }) => {
  const { events, ended } = await model.readEvents(withFault({ kind: 'no_finish' }));
  const whole = await model.respond(withFault({ kind: 'no_finish' }));

  expect([names(events).at(-1), ended]).toEqual(['response.output_item.done', 'clean']);
  expect(whole).toMatchObject({ status: 'in_progress', incomplete_details: null });
});

test('no_done: a Responses stream lacks done events, but has the whole response', async ({ model }) => {
  const { events } = await model.readEvents(withFault({ kind: 'no_done' }));

  expect(names(events).filter((name) => name!.endsWith('.done'))).toEqual([]);
  expect(textOf(events)).toBe('It is sunny in Tokyo.');
  expect(events.at(-1)!.event).toMatchObject({ type: 'response.completed', response: { output: [{}] } });
});

test('error_event: a Responses stream ends with the default or scripted error', async ({ model }) => {
  const body = { error: { message: 'Slow down.', code: 'rate_limit_exceeded' } };

  const plain = await model.readEvents(withFault({ kind: 'error_event', after_chars: 4 }));
  const given = await model.readEvents(withFault({ kind: 'error_event', body }));
  const thrown = model.stream(withFault({ kind: 'error_event' })).finalResponse();

  expect(textOf(plain.events)).toBe('It i');
  expect(plain.events.at(-1)!.event).toMatchObject({ type: 'error', code: 'server_error' });
  expect(given.events.at(-1)!.event).toMatchObject({
    type: 'error',
    code: 'rate_limit_exceeded',
    message: 'Slow down.',
  });
  await expect(thrown).rejects.toThrow(/The server had an error/);
});

test('garbage: a Responses request gets unrelated JSON, or a broken event', async ({ model }) => {
  const unrelated = await model.post({ ...withFault({ kind: 'garbage' }), stream: true });
  const broken = model.stream(withFault({ kind: 'garbage', after_chars: 4 })).finalResponse();

  expect(await unrelated.json()).toEqual({ weather: 'sunny' });
  await expect(broken).rejects.toThrow(/JSON/);
});

test('hang: a Responses stream is open and silent until the client disconnects', async ({ model }) => {
  const response = await model.post({ ...withFault({ kind: 'hang', after_chars: 4 }), stream: true });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();

  const { value } = await reader.read();
  await reader.cancel();

  expect(value).toContain('"delta":"It i"');
  await model.requests[0]!.aborted;
});

test('drip: a Responses stream sends deltas until the client disconnects', async ({ model }) => {
  const response = await model.post({ ...withFault({ kind: 'drip' }, { pace_ms: 1 }), stream: true });

  let text = '';
  for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
    text += bytes;
    if (text.split('"delta":"drip "').length > 10) break;
  }

  expect(text.split('event: response.output_item.added').length).toBe(3);
  await model.requests[0]!.aborted;
});
