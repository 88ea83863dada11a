import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { responseOf } from './open-socket.ts';

const none = 'resp_01kagz8m4pfvbte2n5q7rys3wx';
const input = scripted({ answer: 'Hello.' });

test.for([{}, { stream_id: 'lane-1' }])(
  'response.steer of a running response fails as unsupported',
  async (lane, { harness, socket }) => {
    const { reached, open } = harness.holdModel();
    const { answered } = socket.create({ input, ...lane });
    const created = await socket.until((seen) => seen.find(({ type }) => type === 'response.created'));
    await reached;
    const steer = { previous_response_id: (created.response as { id: string }).id, input: 'Be brief.' };

    socket.send({ type: 'response.steer', ...steer });
    const failed = await socket.until((seen) => seen.find(({ type }) => type === 'response.steer.failed'));
    open();

    expect(failed).toMatchObject({
      steer,
      error: { type: 'invalid_request_error', code: 'steering_not_supported', message: expect.any(String) },
      sequence_number: expect.any(Number),
    });
    expect(responseOf(await answered)).toMatchObject({ status: 'completed' });
    expect(harness.modelRequests).toHaveLength(1);
  },
);

test('response.steer with an unknown response or invalid fields keeps the connection', async ({ socket }) => {
  for (const [index, fields] of [{ previous_response_id: none, input: 'Hi' }, {}, { input: 7 }].entries()) {
    socket.send({ type: 'response.steer', ...fields });
    await socket.until((seen) => seen.filter(({ type }) => /^(error|response\.steer\.failed)$/.test(type))[index]);
  }

  expect(socket.socket.readyState).toBe(socket.socket.OPEN);
});
