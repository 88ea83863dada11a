import OpenAI from 'openai';
import { expect } from 'vitest';
import { waitUntil } from '#test/harness/wait-until.ts';
import { getWeather, script, test } from './ask-simulator.ts';

const withFault = (fault: Record<string, unknown>, more = {}) =>
  script({ answer: 'It is sunny in Tokyo.', piece_chars: 4, final: { fault, ...more } });

test('status: the error, its body and its Retry-After reach the client', async ({ model }) => {
  const fault = { kind: 'status', status: 429, retry_after: 1, retry_after_ms: 900 };

  const error = await model.complete(withFault(fault)).catch((thrown) => thrown);

  expect(error).toBeInstanceOf(OpenAI.RateLimitError);
  expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', requestID: expect.stringMatching(/^req_/) });
  expect(error.headers.get('retry-after')).toBe('1');
  expect(error.headers.get('retry-after-ms')).toBe('900');
});

test('status: the body of the script is sent, as JSON or as text', async ({ model }) => {
  const body = { error: { message: 'Too long.', code: 'context_length_exceeded' } };

  const json = await model.fetch(withFault({ kind: 'status', status: 400, body }));
  const text = await model.fetch(withFault({ kind: 'status', status: 502, body: '<h1>Bad gateway</h1>' }));

  expect([json.status, await json.json()]).toEqual([400, body]);
  expect([text.status, await text.text()]).toEqual([502, '<h1>Bad gateway</h1>']);
});

test('status with a service tier: only requests on this tier are refused', async ({ model }) => {
  const input = withFault({ kind: 'status', status: 429, service_tier: 'flex' });

  await expect(model.complete({ ...input, service_tier: 'flex' })).rejects.toThrow(/429/);
  await expect(model.complete({ ...input, service_tier: 'default' })).resolves.toHaveProperty('choices');
  await expect(model.complete(input)).resolves.toHaveProperty('choices');
});

test('times: the fault ends when the generation in x-client-request-id reaches it', async ({ model }) => {
  const input = withFault({ kind: 'status', status: 500, times: 2 });
  const attempt = (generation: number) => ({ headers: { 'x-client-request-id': `turn_01k.1.${generation}` } });

  await expect(model.complete(input)).rejects.toThrow(/500/);
  await expect(model.complete(input, attempt(0))).rejects.toThrow(/500/);
  await expect(model.complete(input, attempt(1))).rejects.toThrow(/500/);
  await expect(model.complete(input, attempt(2))).resolves.toHaveProperty('choices.0.message.content');
  await expect(model.complete(withFault({ kind: 'refuse' }), attempt(9))).rejects.toThrow(/Connection error/);
});

test('a round that is only a fault is followed by the answer after the fault', async ({ model }) => {
  const sim = { rounds: [{ fault: { kind: 'status', status: 503, times: 1 } }], answer: 'Up again.' };

  await expect(model.complete(script(sim))).rejects.toThrow(/503/);
  const completion = await model.complete(script(sim), { headers: { 'x-client-request-id': 't.1.1' } });

  expect(completion.choices[0]?.message.content).toBe('Up again.');
});

test('refuse: the connection is destroyed before any byte', async ({ model }) => {
  await expect(model.fetch(withFault({ kind: 'refuse' }))).rejects.toThrow(/fetch failed/);
});

test('cut: the stream breaks off after the given characters of the reply', async ({ model }) => {
  const { text, ended } = await readStream(
    model.fetch({ ...withFault({ kind: 'cut', after_chars: 6 }), stream: true }),
  );

  expect(contentOf(text)).toBe('It is ');
  expect(ended).toBe('broken');
});

test('cut: the stream breaks off within the arguments of a tool call', async ({ model }) => {
  const round = {
    say: 'Ok.',
    tools: [{ name: 'get_weather', arguments: { city: 'Tokyo' } }],
    fault: { kind: 'cut', after_chars: 3 + '{"city":"To'.length },
  };

  const { text, ended } = await readStream(
    model.fetch({ ...script({ rounds: [round] }), tools: [getWeather], stream: true }),
  );

  const deltas = chunksOf(text).flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
  expect(deltas.map((call) => call.function?.arguments).join('')).toBe('{"city":"To');
  expect(ended).toBe('broken');
});

test('cut: a body that is not streamed breaks off too', async ({ model }) => {
  const { text, ended } = await readStream(model.fetch(withFault({ kind: 'cut', after_chars: 10 })));

  expect([text, ended]).toEqual(['{"id":"cha', 'broken']);
});

test('hang: the request gets no answer until the client disconnects', async ({ model }) => {
  const leave = new AbortController();
  const answer = model.fetch(withFault({ kind: 'hang' }), { signal: leave.signal });
  await waitUntil(() => expect(model.requests).toHaveLength(1));
  leave.abort();

  await expect(answer).rejects.toThrow(/abort/);
  await model.requests[0]!.aborted;
});

test('hang: the connection stays open and silent in mid-stream', async ({ model }) => {
  const input = { ...withFault({ kind: 'hang', after_chars: 4 }), stream: true };

  const leave = new AbortController();
  const onText = (text: string) => {
    // Waits one turn of the loop, in which no more text may arrive.
    if (contentOf(text) === 'It i') setImmediate(() => leave.abort());
  };
  const { text, ended } = await readStream(model.fetch(input, { signal: leave.signal }), onText);

  expect([contentOf(text), ended]).toEqual(['It i', 'broken']);
});

test('no_done and no_finish: a stream ends cleanly without the omitted event', async ({ model }) => {
  const noDone = await readStream(model.fetch({ ...withFault({ kind: 'no_done' }), stream: true }));
  const noFinish = await readStream(model.fetch({ ...withFault({ kind: 'no_finish' }), stream: true }));

  expect([noDone.ended, noFinish.ended]).toEqual(['clean', 'clean']);
  expect(noDone.text).not.toContain('[DONE]');
  expect(noDone.text).toContain('"finish_reason":"stop"');
  expect(noFinish.text).toContain('[DONE]');
  expect(noFinish.text).not.toContain('"finish_reason":"stop"');
});

test('error_event: the 200 stream carries the error, and the SDK throws it', async ({ model }) => {
  const stream = model.stream(withFault({ kind: 'error_event', after_chars: 4 }));

  await expect(stream.finalMessage()).rejects.toThrow(/The server had an error/);
});

test('garbage: the client gets a 200 with unrelated JSON, or a broken chunk', async ({ model }) => {
  const unrelated = await model.fetch({ ...withFault({ kind: 'garbage' }), stream: true });
  const broken = model.stream(withFault({ kind: 'garbage', after_chars: 4 }));

  expect([unrelated.status, await unrelated.json()]).toEqual([200, { weather: 'sunny' }]);
  await expect(broken.finalMessage()).rejects.toThrow(/JSON/);
});

test('drip: chunks are sent until the client disconnects', async ({ model }) => {
  const response = await model.fetch({ ...withFault({ kind: 'drip' }, { pace_ms: 1 }), stream: true });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();

  let text = '';
  while (text.split('drip ').length < 10) text += (await reader.read()).value;
  await reader.cancel();

  await model.requests[0]!.aborted;
});

async function readStream(answer: Promise<Response>, onText: (text: string) => void = () => {}) {
  let text = '';
  try {
    for await (const bytes of (await answer).body!.pipeThrough(new TextDecoderStream())) {
      text += bytes;
      onText(text);
    }
    return { text, ended: 'clean' };
  } catch {
    return { text, ended: 'broken' };
  }
}

function chunksOf(text: string): OpenAI.ChatCompletionChunk[] {
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
  return events.map((event) => JSON.parse(event.slice('data: '.length)));
}

function contentOf(text: string): string {
  return chunksOf(text)
    .map((chunk) => chunk.choices[0]?.delta.content ?? '')
    .join('');
}
