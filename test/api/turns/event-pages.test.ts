import { expect } from 'vitest';
import { type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { answered, openApproving, pay } from '../openai/responses/approving.ts';

type Listed = Record<string, unknown> & { type: string };
type Page = { data: Listed[]; next_cursor: string | null };

async function listInPages({ call }: Harness, id: string, limit: number): Promise<Listed[]> {
  const events: Listed[] = [];
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const { body }: { body: Page } = await call('GET', `/v1/turns/${id}/events?limit=${limit}&cursor=${cursor}`);
    events.push(...body.data);
    cursor = body.next_cursor;
  }
  return events;
}

/**
 * Expects the same events in small pages. The last event shows the whole turn, so a page with all events loads the
 * whole turn.
 */
async function expectSameAlone(harness: Harness, id: string, types: string[]): Promise<void> {
  const whole = await listInPages(harness, id, 1_000);
  const alone = await listInPages(harness, id, 1);

  expect(whole.map(({ type }) => type)).toEqual(expect.arrayContaining([...types, whole.at(-1)!.type]));
  expect(whole.at(-1)).toHaveProperty('turn');
  expect(alone).toEqual(whole);
}

test('an event page with one event equals its part of a page with all events', async ({ harness }) => {
  const tools = [
    'weather_lookup',
    { name: 'locate_user', description: 'Asks the device', execution: { kind: 'client' } },
  ];
  const calls = [
    { name: 'weather_lookup', arguments: { city: 'Lisbon' }, id: 'call_1' },
    { name: 'locate_user', arguments: {}, id: 'call_2' },
  ];
  const input = scripted({ rounds: [{ say: 'Let me look.', tools: calls }, { tools: calls.slice(0, 1) }] });
  const { id } = await harness.startTurn({ input, tools });
  await harness.workUntilIdle();
  for (const say of [1, 2].map((n) => scripted({ answer: `Answer ${n}.` }))) {
    await harness.call('POST', `/v1/turns/${id}/input`, { body: { input: say, metadata: { said: 'later' } } });
  }
  await harness.call('POST', `/v1/turns/${id}/tool_outputs`, {
    body: { tool_outputs: [{ tool_call_id: 'call_2', output: { lat: 38.7 } }] },
  });
  await workUntilEnded(harness, id);

  await expectSameAlone(harness, id, ['input.added', 'turn.requires_action', 'tool_call.completed', 'round.completed']);
});

test('an event page with one event shows allowed calls like a page with all events', async () => {
  await using opened = await openApproving();
  const asked = await opened.ask(pay('call_pay'));
  const input = asked.requests.map((id) => answered(id, true, 'It is due.'));
  const { id } = await opened.start({ previous_response_id: asked.id, input });
  await opened.harness.workUntilIdle();

  await expectSameAlone(opened.harness, id.replace('resp_', 'turn_'), ['tool_call.completed']);
});

test('an event page with one event shows invalid answers like a page with all events', async ({ harness }) => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const input = scripted({ answer: '{"city":7}', repairs: [{ say: '{}' }, { say: '{"city":"Lisbon"}' }] });
  const { id } = await harness.startTurn({ input, output_schema: { name: 'place', schema } });
  await harness.workUntilIdle();
  await harness.call('POST', `/v1/turns/${id}/retry`);
  await harness.workUntilIdle();

  await expectSameAlone(harness, id, ['round.completed', 'turn.failed', 'turn.resumed']);
});
