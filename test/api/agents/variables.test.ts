import { expect } from 'vitest';
import type { ConversationResource } from '#core/turn/resource/conversation.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';
import { changeAgent, createAgent, createConversation, instructionsSent, start } from './agents.ts';

const model = 'openai/test';
const instructions = 'You help {{customer}} in {{language}}. Greet {{customer}}.';

test('the variables of an agent are replaced at each place before the model is asked', async ({ harness }) => {
  await createAgent(harness, { instructions });

  await start(harness, { agent: 'support', variables: { customer: 'Ada', language: 'German' } });

  expect(await instructionsSent(harness)).toBe('You help Ada in German. Greet Ada.');
});

test('the value of a variable is not expanded', async ({ harness }) => {
  await createAgent(harness, { instructions: '<{{a}}> <{{b}}> <{{c}}>' });
  const values = { a: '{{b}}', b: "$& $1 $$ $` $' {{a}}", c: '' };

  await start(harness, { agent: 'support', variables: values });

  expect(await instructionsSent(harness)).toBe(`<{{b}}> <${values.b}> <>`);
});

test('a missing or an unknown variable is refused with its name', async ({ harness }) => {
  await createAgent(harness, { instructions });
  await createAgent(harness, { name: 'plain' });
  const refused = (variables: unknown, agent = 'support') =>
    refusalOf(harness, '/v1/turns', { agent, variables, input: 'Hi' });
  const all = { customer: 'Ada', language: 'German' };

  for (const none of [undefined, null, {}]) expect(await refused(none)).toBe('400 missing_field: variables.customer');
  expect(await refused({ customer: 'Ada' })).toBe('400 missing_field: variables.language');
  expect(await refused({ ...all, town: 'Bern' })).toBe('400 invalid_value: variables.town');
  expect(await refused({ town: 'Bern' }, 'plain')).toBe('400 invalid_value: variables.town');
  for (const value of [7, null, ['Ada'], { text: 'Ada' }])
    expect(await refused({ ...all, customer: value })).toBe('400 invalid_value: variables.customer');
  for (const name of ['', '1a', 'a b', 'ä'])
    expect(await refused({ ...all, [name]: 'x' })).toMatch(/^400 invalid_value/);
  expect(await refused([])).toBe('400 invalid_value: variables');
});

test('instructions without an agent are filled only if the request has variables', async ({ harness }) => {
  const own = { model, instructions: 'Write {{customer}} literally.' };

  await start(harness, own);
  const unchanged = await instructionsSent(harness);
  await start(harness, { ...own, variables: { customer: 'Ada' } });
  const filled = await instructionsSent(harness);

  expect([unchanged, filled]).toEqual(['Write {{customer}} literally.', 'Write Ada literally.']);
  expect(await refusalOf(harness, '/v1/turns', { ...own, variables: {}, input: 'Hi' })).toBe(
    '400 missing_field: variables.customer',
  );
  expect(await refusalOf(harness, '/v1/turns', { model, variables: { customer: 'Ada' }, input: 'Hi' })).toBe(
    '400 invalid_value: variables.customer',
  );
});

test('instructions of a turn in place of its agent stay as they are without variables', async ({ harness }) => {
  await createAgent(harness, { instructions });
  const own = { agent: 'support', instructions: 'Say {{x}}.' };

  await start(harness, own);
  const unchanged = await instructionsSent(harness);
  await start(harness, { ...own, variables: { x: 'hello' } });

  expect([unchanged, await instructionsSent(harness)]).toEqual(['Say {{x}}.', 'Say hello.']);
});

test('the variables of a conversation and of a turn are merged by name', async ({ harness }) => {
  await createAgent(harness, { instructions });
  const { id } = await createConversation(harness, { agent: 'support', variables: { language: 'German' } });

  await start(harness, { variables: { customer: 'Ada' } }, id);
  const added = await instructionsSent(harness);
  await start(harness, { variables: { customer: 'Bo', language: 'Danish' } }, id);
  const replaced = await instructionsSent(harness);

  expect(added).toBe('You help Ada in German. Greet Ada.');
  expect(replaced).toBe('You help Bo in Danish. Greet Bo.');
  expect(await refusalOf(harness, `/v1/conversations/${id}/turns`, { input: 'Hi' })).toBe(
    '400 missing_field: variables.customer',
  );
});

test('a turn ignores variables of its conversation that its instructions do not have', async ({ harness }) => {
  await createAgent(harness, { instructions });
  const variables = { customer: 'Ada', language: 'German' };
  const { id } = await createConversation(harness, { agent: 'support', variables });
  await changeAgent(harness, 'support', { instructions: 'You help {{customer}}.' });

  await start(harness, {}, id);
  const ofVersion = await instructionsSent(harness);
  await start(harness, { instructions: 'Be brief.' }, id);
  const own = await instructionsSent(harness);

  expect([ofVersion, own]).toEqual(['You help Ada.', 'Be brief.']);
});

test('a change replaces the variables of a conversation as a whole, or removes them', async ({ harness }) => {
  await createAgent(harness, { instructions });
  const variables = { customer: 'Ada', language: 'German' };
  const made = await createConversation(harness, { agent: 'support', variables });
  const change = (body: object) =>
    harness.call<ConversationResource>('PATCH', `/v1/conversations/${made.id}`, { body });

  const replaced = await change({ variables: { customer: 'Bo' } });
  await start(harness, { variables: { language: 'Danish' } }, made.id);
  const sent = await instructionsSent(harness);
  const removed = await change({ variables: null });

  expect(made.variables).toEqual(variables);
  expect([replaced.body.variables, removed.body.variables]).toEqual([{ customer: 'Bo' }, null]);
  expect(sent).toBe('You help Bo in Danish. Greet Bo.');
  expect(describeRefusal(await change({ variables: { town: 'Bern' } }))).toBe('400 invalid_value: variables.town');
});

test('a conversation whose first turn has variables uses them in later turns', async ({ harness }) => {
  await createAgent(harness, { instructions });
  const variables = { customer: 'Ada', language: 'German' };
  const first = await start(harness, { agent: 'support', variables });
  await harness.workUntilIdle();

  await start(harness, { variables: { language: 'Danish' } }, first.conversation_id);

  expect(await instructionsSent(harness)).toBe('You help Ada in Danish. Greet Ada.');
});

test('instructions of a conversation are filled with its variables and a turn’s', async ({ harness }) => {
  const { id } = await createConversation(harness, { model, instructions: 'You help {{customer}}.' });
  const filled = await createConversation(harness, { model, instructions, variables: { customer: 'Ada' } });

  await start(harness, {}, id);
  const unchanged = await instructionsSent(harness);
  await start(harness, { variables: { customer: 'Bo' } }, id);
  const ofTurn = await instructionsSent(harness);
  await start(harness, { variables: { language: 'German' } }, filled.id);
  const merged = await instructionsSent(harness);

  expect([unchanged, ofTurn]).toEqual(['You help {{customer}}.', 'You help Bo.']);
  expect(merged).toBe('You help Ada in German. Greet Ada.');
});

test('an input with other variables cannot be merged into a turn', async ({ harness }) => {
  await createAgent(harness, { instructions });
  const queued = await start(harness, { agent: 'support', variables: { customer: 'Ada', language: 'German' } });
  const join = (variables: object) =>
    harness.call('POST', `/v1/conversations/${queued.conversation_id}/turns`, {
      body: { input: 'And?', on_active_turn: 'merge', variables },
    });

  expect(describeRefusal(await join({ customer: 'Bo' }))).toBe('409 turn_differs: variables');
  expect(describeRefusal(await join({ customer: 'Ada' }))).toBe('200 accepted');
});

test('a change keeps variables of a conversation that its agent no longer has', async ({ harness }) => {
  await createAgent(harness, { instructions });
  const variables = { customer: 'Ada', language: 'German' };
  const { id } = await createConversation(harness, { agent: 'support', variables });
  await changeAgent(harness, 'support', { instructions: 'You help {{customer}}.' });
  const change = (body: object) => harness.call('PATCH', `/v1/conversations/${id}`, { body });

  expect(await change({ seed: 7 })).toMatchObject({ status: 200, body: { seed: 7, variables } });
  expect(describeRefusal(await change({ variables }))).toBe('400 invalid_value: variables.language');
});

test('variables that would make the instructions very long are refused', async ({ harness }) => {
  await createAgent(harness, { instructions: '{{x}}'.repeat(100_000) });
  const refused = (x: string) => refusalOf(harness, '/v1/turns', { agent: 'support', variables: { x }, input: 'Hi' });

  expect(await refused('x'.repeat(500_000))).toBe('400 invalid_value: variables');
  expect(await refused('x')).toBe('202 accepted');
});
