import { expect } from 'vitest';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { openChat } from './open-chat.ts';

const weather = { name: 'weather_lookup', arguments: { city: 'Rome' } };
const card = { name: 'send_postcard', arguments: { city: 'Rome' } };

test('a chat shows answers and a line for each call, and continues by its id', async ({ harness, worker: _ }) => {
  const chat = openChat(harness.url, ['--model', 'openai/test', '--tools', 'weather_lookup']);

  const asked = scripted({ rounds: [{ say: 'Let me look.', tools: [weather] }], answer: 'It is sunny in Rome.' });
  chat.say(asked);
  await chat.sees('It is sunny in Rome.\n\n');
  chat.say(scripted({ answer: 'You are welcome.' }));
  const { exitCode, lines } = await chat.end();

  expect(exitCode).toBe(0);
  expect(lines).toEqual([
    ...['/help lists the commands.', `> ${asked}`, expect.stringMatching(/^conv_/), 'Let me look.'],
    ...[expect.stringMatching(/^weather_lookup {"city":"Rome"} {2}✓ \d\.\d\d s$/), 'It is sunny in Rome.', ''],
    ...[expect.stringContaining('> '), 'You are welcome.', ''],
    expect.stringMatching(/^To continue: pawl chat conv_/),
  ]);

  const again = openChat(harness.url, [lines[2]!]);
  const resumed = await again.end();
  expect(resumed.lines.slice(-6)).toEqual([
    ...['Let me look.', lines[4], 'It is sunny in Rome.'],
    ...[expect.stringContaining('> '), 'You are welcome.', lines.at(-1)],
  ]);
});

test('a person allows and denies calls, and changes the arguments of a call', async ({ harness, worker: _ }) => {
  const cards = ['Rome', 'Oslo', 'Bern'].map((city) => ({ ...card, arguments: { city } }));
  const tools = [{ name: 'send_postcard', description: 'Sends a postcard to a city, once', approval: 'always' }];
  const { id, conversation_id } = await harness.startTurn({ input: scripted({ rounds: [{ tools: cards }] }), tools });
  const chat = openChat(harness.url, [conversation_id]);

  await chat.sees('? send_postcard {"city":"Rome"}  Allow it?');
  chat.say('{"city": ');
  chat.say('y');
  await chat.sees('? send_postcard {"city":"Oslo"}');
  chat.say('no, it is too far');
  await chat.sees('? send_postcard {"city":"Bern"}');
  chat.say('{"town": "Thun"}');
  await chat.sees('approvals[0].arguments.city');
  chat.say('{"city": "Thun"}');
  const { exitCode, lines } = await chat.end();

  expect({ exitCode, lines }).toMatchObject({ exitCode: 0 });
  expect(lines).toContain('This is not valid JSON. The call still waits.');
  const { rounds } = await harness.findTurn(id);
  expect(rounds[0]?.results.map(({ content, error }) => content ?? error?.message)).toEqual([
    ...['sent to Rome', 'A person denied this call: it is too far', 'sent to Thun'],
  ]);
});

test('a client answers its calls in the chat, and is shown how to return', async ({ harness, worker: _ }) => {
  const locate = [{ name: 'locate_user', arguments: {}, id: 'call_where' }];
  const tools = [{ name: 'locate_user', description: 'Asks the device where it is', execution: { kind: 'client' } }];
  const asked = { input: scripted({ rounds: [{ tools: locate }], answer: 'Got {{results}}' }), tools };
  const { id, conversation_id } = await harness.startTurn(asked);

  const left = openChat(harness.url, [conversation_id]);
  await left.sees('? locate_user {}  waits for its client');
  const { exitCode, lines } = await left.end();
  const chat = openChat(harness.url, [conversation_id]);
  await chat.sees('? locate_user {}');
  chat.say('/output {"lat": 35.7}');
  await chat.end();

  expect({ exitCode, last: lines.at(-1) }).toEqual({
    exitCode: 3,
    last: `The turn keeps running. To continue: pawl chat ${conversation_id}`,
  });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Got {"lat":35.7}' });
});

test('/stop cancels an answer or continues with a text, and /retry continues a failure', async ({
  harness,
  worker: _,
}) => {
  const tools = [{ name: 'locate_user', description: 'Asks the device where it is', execution: { kind: 'client' } }];
  const { id } = await harness
    .call<{ id: string }>('POST', '/v1/conversations', { body: { model: 'openai/test', tools } })
    .then(({ body }) => body);
  const waiting = scripted({ rounds: [{ tools: [{ name: 'locate_user', arguments: {} }] }] });
  const failing = scripted({ answer: 'Back again.', final: { fault: { kind: 'status', status: 401, times: 1 } } });
  const chat = openChat(harness.url, [id]);

  chat.say('/stop');
  chat.say(waiting);
  await chat.sees('? locate_user');
  chat.say('/stop');
  await chat.sees('… stopped');
  chat.say(waiting);
  await chat.sees('… stopped\n\n');
  chat.say(`/stop ${failing}`);
  await chat.sees('/retry continues the turn.');
  chat.say('/retry');
  await chat.sees('Back again.\n');
  chat.say('/dance');
  chat.say('/help');
  const { exitCode, lines } = await chat.end();

  expect(exitCode).toBe(0);
  expect(lines).toContain('No turn is running.');
  expect(lines).toContain('Unknown command /dance. /help lists the commands.');
  const { body } = await harness.call<{ data: { status: string }[] }>('GET', `/v1/turns?conversation_id=${id}`);
  expect(body.data.map(({ status }) => status)).toEqual(['completed', 'cancelled', 'cancelled']);
});

test('a text typed during an answer joins it, and /wait sends the text afterwards', async ({ harness }) => {
  const chat = openChat(harness.url);

  chat.say('How is it in Rome?');
  await chat.sees('conv_');
  chat.say('/wait And in Oslo?');
  await chat.sees('… will be sent after this answer');
  chat.say('And the wind?');
  await chat.sees('… joins the answer: And the wind?');
  await using _worker = await startBackgroundWorker(harness);
  await chat.sees('Oslo?".');
  chat.say('Thanks.');
  const { exitCode } = await chat.end();

  expect(exitCode).toBe(0);
  const asked = harness.modelRequests.map(({ body }) => (body as { messages: { content: string }[] }).messages);
  expect(asked.map((messages) => messages.at(-1)?.content)).toEqual(['And the wind?', 'And in Oslo?', 'Thanks.']);
});

test('Ctrl-C leaves a piped chat, and the answer continues', async ({ harness }) => {
  const { conversation_id } = await harness.startTurn({ input: scripted({ answer: 'Done.' }) });
  const chat = openChat(harness.url, [conversation_id]);

  await chat.sees(conversation_id);
  chat.say('/nothing');
  await chat.sees('Unknown command /nothing');
  chat.interrupt();
  const { exitCode, lines } = await chat.end();

  expect({ exitCode, last: lines.at(-1) }).toEqual({
    exitCode: 130,
    last: `The turn keeps running. To continue: pawl chat ${conversation_id}`,
  });
});

test('an unknown conversation is refused by the API, and no typed text is sent', async ({ harness }) => {
  const chat = openChat(harness.url, ['conv_unknown']);

  chat.say('Is it there?');
  const { exitCode } = await chat.end();

  expect(exitCode).toBe(1);
  expect(await chat.complaints()).toBe(
    'Conversation not found. Check its id, and that the API key belongs to its project.\n',
  );
  expect(chat.shown()).toBe('');
});

test('a piped chat continues after a refused line, which its exit code reports', async ({ harness, worker: _ }) => {
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  const chat = openChat(harness.url, [body.id]);
  const unknown = openChat(harness.url, ['--model', 'nobody/test']);

  chat.say('x'.repeat(2 ** 20));
  chat.say(scripted({ answer: 'Still here.' }));
  unknown.say('Is it there?');
  const [refused, alone] = await Promise.all([chat.end(), unknown.end()]);

  expect(refused.exitCode).toBe(1);
  expect(refused.lines).toContain('Still here.');
  expect(refused.lines.filter((line) => line.startsWith('✗'))).toEqual([expect.stringContaining('1 MiB')]);
  expect(alone).toMatchObject({ exitCode: 1, lines: expect.arrayContaining([expect.stringMatching(/^✗ .*nobody/)]) });
});
