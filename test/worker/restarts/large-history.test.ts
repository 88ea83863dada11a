import { expect, test } from 'vitest';
import { openStream } from '#test/api/stream/open-stream.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { startProcess } from '#test/harness/start-process.ts';

const HEAP_MIB = 512;

/** The number of responses in a chain with far more text than a worker with this heap loads. */
const RESPONSES = 12;
const text = 'word '.repeat(1_400_000);

test('a worker survives a chain of large responses and concurrent large turns', {
  timeout: 900_000,
}, async () => {
  await using harness = await createHarness();
  await using worker = await startProcess('worker', {
    ...harness.env,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  });
  const respond = async (previous: string | null) => {
    const body = { model: 'openai/test', input: text, background: true, previous_response_id: previous };
    const { body: response } = await harness.call<{ id: string }>('POST', '/v1/responses', { body });
    return response.id;
  };
  const endOf = async (responseId: string) => {
    const id = responseId.replace('resp_', 'turn_');
    const events = await openStream(`${harness.url}/v1/turns/${id}/events`, { after: 0 });
    await events.over;
    const { status, error } = await harness.findTurn(id);
    return error?.code ?? status;
  };

  const ends = ['completed'];
  for (let last: string | null = null; ends.at(-1) === 'completed' && ends.length <= RESPONSES; ) {
    last = await respond(last);
    ends.push(await endOf(last));
  }
  const atOnce: string[] = [];
  while (atOnce.length < 8) atOnce.push(await respond(null));
  const beside = await harness.startTurn({ input: 'Hi' });
  const besideEnd = await endOf(beside.id);
  const endsAtOnce = await Promise.all(atOnce.map(endOf));

  expect(ends.slice(1, 4)).toEqual(['completed', 'completed', 'completed']);
  expect(ends.at(-1)).toBe('context_length_exceeded');
  expect(besideEnd).toBe('completed');
  expect(new Set(endsAtOnce)).toEqual(new Set(['completed']));
  const jobs = worker.lines.filter(({ event }) => event === 'job.failed');
  expect(jobs).toEqual([]);
  // The process that was started first is still running.
  expect(await harness.db.selectFrom('workers').select('id').execute()).toHaveLength(1);
});
