import { expect } from 'vitest';
import { script, test } from '../responses/ask-responses.ts';
import { answer, ask, idOf, paused } from './ask-background.ts';

test('a script decides how a background response ends, in the first attempts', async ({ model }) => {
  const ending = (end: string) => ({ answer, final: { background: { end, code: 'rate_limit_exceeded', times: 1 } } });
  const endOf = async (end: string, name?: string) => {
    const headers = name ? { headers: { 'x-client-request-id': name } } : {};
    const { id } = await model.respond({ ...script(ending(end)), background: true }, headers);
    return ask(model, `/${id}`);
  };

  expect(await endOf('failed')).toMatchObject({
    body: { status: 'failed', output: [], error: { code: 'rate_limit_exceeded' } },
  });
  expect(await endOf('cancelled')).toMatchObject({ body: { status: 'cancelled' } });
  expect(await endOf('never')).toMatchObject({ body: { status: 'in_progress' } });
  expect(await endOf('lost')).toMatchObject({ status: 404 });
  expect(await endOf('lost', 'turn_1.1.1')).toMatchObject({ body: { status: 'completed' } });
});

test('a lost background response breaks its stream after end_after_chars', async ({ model }) => {
  const sim = { answer, piece_chars: 4, final: { background: { end: 'lost', end_after_chars: 8 } } };

  const { events, ended } = await model.readEvents({ ...script(sim), background: true });

  expect(events.filter(({ event }) => event.type === 'response.output_text.delta')).toHaveLength(2);
  expect(ended).toBe('broken');
});

test('a fault of a background stream breaks only the connection of the create', async ({ model }) => {
  const faults = [{ kind: 'cut', after_chars: 8 }, { kind: 'error_event', after_chars: 8 }, { kind: 'no_finish' }];

  const streams = [];
  for (const fault of faults) {
    streams.push(await model.readEvents({ ...script({ answer, piece_chars: 4, final: { fault } }), background: true }));
  }
  const states = await Promise.all(streams.map(({ events }) => ask(model, `/${idOf(events[0]!.event).id}`)));

  expect(streams.map(({ ended, events }) => [ended, events.at(-1)!.event.type])).toEqual([
    ['broken', 'response.output_text.delta'],
    ['clean', 'error'],
    ['clean', 'response.output_item.done'],
  ]);
  expect(states.map(({ body }) => body.status)).toEqual(['completed', 'completed', 'completed']);
});

test('stop ends the productions of background responses', async ({ model }) => {
  const stream = await model.post({ ...script(paused), background: true, stream: true });

  await model.simulator.stop();

  await expect(stream.text()).rejects.toThrow();
});
