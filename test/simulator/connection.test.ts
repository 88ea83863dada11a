import { expect, test } from 'vitest';
import { startSimulator } from '#simulator/start-simulator.ts';
import { askSimulator, script } from './ask-simulator.ts';

test('the first byte waits for think_ms, every piece for pace_ms', async () => {
  await using model = await askSimulator();
  const startedAt = performance.now();

  const response = await model.fetch({
    ...script({ answer: 'abcd', think_ms: 60, pace_ms: 20, piece_chars: 1 }),
    stream: true,
  });
  const firstByteMs = performance.now() - startedAt;
  await response.text();

  expect(firstByteMs).toBeGreaterThanOrEqual(59);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(60 + 5 * 20 - 6);
});

test('without a pace a stream comes in one write', async () => {
  await using model = await askSimulator();

  const response = await model.fetch({ ...script({ answer: 'a'.repeat(1000) }), stream: true });
  let reads = 0;
  for await (const bytes of response.body!) reads += bytes.length ? 1 : 0;

  expect(reads).toBe(1);
});

test('the witness sees what the model was asked, and nothing is aborted when all goes well', async () => {
  await using model = await askSimulator();
  let isAborted = false;

  await model.complete(
    { ...script({ answer: 'Hi.' }), temperature: 0.2 },
    { headers: { 'x-client-request-id': 't.1.0' } },
  );
  void model.asked[0]!.aborted.then(() => (isAborted = true));
  await model.complete({});

  expect(model.asked[0]).toMatchObject({ body: { temperature: 0.2 }, headers: { 'x-client-request-id': 't.1.0' } });
  expect(isAborted).toBe(false);
});

test('a client that hangs up in mid-stream is noticed', async () => {
  await using model = await askSimulator();
  const stream = model.stream(script({ answer: 'a long, long story', pace_ms: 60_000, piece_chars: 3 }));

  stream.once('chunk', () => stream.abort());

  await expect(stream.done()).rejects.toThrow(/abort/i);
  await model.asked[0]!.aborted;
});

test('stop ends open answers at once', async () => {
  const model = await askSimulator();
  const thinking = model.fetch(script({ think_ms: 60_000 }));
  const silent = model.fetch(script({ final: { fault: { kind: 'hang' } } }));
  const bothEnd = Promise.allSettled([thinking, silent]);
  await expect.poll(() => model.asked.length).toBe(2);

  await model.simulator.stop();

  expect((await bothEnd).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a port that is asked for is the port that is taken, and stopping twice is stopping', async () => {
  const first = await startSimulator();
  await first.stop();

  const second = await startSimulator({ port: first.port });
  await second.stop();
  await second.stop();

  expect(second.baseUrl).toBe(`http://127.0.0.1:${first.port}/v1`);
});
