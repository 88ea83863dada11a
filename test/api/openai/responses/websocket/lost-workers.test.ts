import { expect, test } from 'vitest';
import { describeQueue } from '#test/harness/queues.ts';
import { openCutHarness } from '#test/llm/open-cut-harness.ts';
import { responsesOf } from '../compliance/ask.ts';
import { deltasOf, openSocket, responseOf } from './open-socket.ts';

/** Creates a response over a new socket. Its first run is lost within the text, and a second run follows. */
async function loseRun(harness: Awaited<ReturnType<typeof openCutHarness>>['harness'], fields: object = {}) {
  const socket = await openSocket(harness);
  const { answered } = socket.create({ input: 'Hi', ...fields });
  const { id } = responseOf([await socket.until((seen) => seen.find(({ type }) => type === 'response.created'))]);
  const lost = harness.workOnce();
  await socket.until((seen) => deltasOf(seen) === 'Half a sen');
  await harness.advance(7_000);
  await harness.rescue();
  await harness.workOnce();
  const messages = await answered;
  harness.worker.heartbeat.stop('lost', id.replace('resp_', 'turn_'));
  await lost;
  return { id, socket, messages };
}

describeQueue(({ redis }) => {
  test('a response over a socket continues if the reply after a lost worker is equal', async () => {
    await using opened = await openCutHarness(redis, ['Half ', 'a sentence.']);

    const { id, socket, messages } = await loseRun(opened.harness);
    await using _socket = socket;

    expect(deltasOf(messages)).toBe('Half a sentence.');
    expect(responseOf(messages)).toEqual(await responsesOf(opened.harness).retrieve(id));
  });

  test('a response over a socket ends with stream_superseded if the new reply differs', async () => {
    await using opened = await openCutHarness(redis, ['Half of it.']);
    const { harness } = opened;

    const { id, socket, messages } = await loseRun(harness, { stream_id: 'one' });
    await using _socket = socket;

    const last = messages.at(-1);
    expect(last).toMatchObject({
      ...{ type: 'error', stream_id: 'one', sequence_number: expect.any(Number) },
      error: { code: 'stream_superseded', message: expect.any(String), param: null },
    });
    expect(last?.sequence_number).toBeGreaterThan(messages.at(-2)?.sequence_number ?? Number.NaN);
    expect(deltasOf(messages)).toBe('Half a sen');
    expect(await responsesOf(harness).retrieve(id)).toMatchObject({
      ...{ status: 'completed', output: [{ content: [{ text: 'Half of it.' }] }] },
    });
    const next = socket.create({ input: 'And?', stream_id: 'one', previous_response_id: id });
    await socket.until((seen) => seen.filter(({ type }) => type === 'response.created')[1]);
    await harness.workUntilIdle();
    expect(responseOf(await next.answered).status).toBe('completed');
  });
});

test('a kept response with a superseded stream has its final text, or is not found', async () => {
  await using opened = await openCutHarness(false, ['Half of it.']);
  const { harness } = opened;
  const { id, socket } = await loseRun(harness, { store: false });
  await using _socket = socket;

  const { answered } = socket.create({ input: 'And?', store: false, previous_response_id: id });
  const isAnswered = Promise.race([
    answered,
    socket.until((seen) => seen.filter(({ type }) => type === 'response.created')[1]),
  ]);
  await isAnswered;
  await harness.workUntilIdle();
  const last = (await answered).at(-1);

  expect(['error', 'response.completed']).toContain(last?.type);
  if (last?.type === 'error') expect(last).toMatchObject({ error: { code: 'previous_response_not_found' } });
});
