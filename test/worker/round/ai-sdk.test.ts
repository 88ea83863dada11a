import { test as base, expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { openStream, textOf } from '#test/api/stream/open-stream.ts';
import { type Harness, letTimePass, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { opening } from '#test/harness/opening.ts';
import { scripted } from '#test/harness/scripted.ts';
import { bedrockWire } from '#test/llm/ai-sdk/bedrock-wire.ts';
import { mistralWire } from '#test/llm/ai-sdk/mistral-wire.ts';
import { openPackages, play } from '#test/llm/ai-sdk/open-packages.ts';
import { checkOpenai } from '#test/llm/check-wire/openai.ts';

const call = (id: string, city: string) => ({ id, name: 'weather_lookup', arguments: ['{"city":', `"${city}"}`] });
const weather = (city: string) => JSON.stringify({ city, temp: 22, condition: 'sunny' });
const usage = {
  ...{ input_tokens: 11, output_tokens: 7, total_tokens: 18 },
  ...{ cached_input_tokens: 4, cache_write_tokens: 0, reasoning_tokens: 0 },
};

async function say(harness: Harness, path: string, body: object): Promise<TurnResource> {
  const { body: turn } = await harness.call<TurnResource>('POST', path, { body });
  await harness.workUntilIdle();
  return harness.findTurn(turn.id);
}

const test = base.extend('packages', opening(openPackages));

test('a turn with a packaged provider runs its calls, and counts its usage', async ({ packages }) => {
  const { harness, mistral } = packages;
  play(
    mistral,
    mistralWire.reply({ text: ['Let me ', 'look.'], calls: [call('abcdefgh1', 'Tokyo')], usage }),
    mistralWire.reply({ text: ['Sunny ', 'in Tokyo.'], usage }),
  );

  const { id } = await harness.runTurn({
    ...{ model: 'mistral/mistral-large-latest', tools: ['weather_lookup'], instructions: 'Be brief.' },
    ...{ input: 'How is Tokyo?', temperature: 0.5, top_p: 0.9, max_output_tokens: 100 },
    provider_options: { mistral: { safePrompt: true } },
  });
  const turn = await harness.findTurn(id);

  expect(turn).toMatchObject({ status: 'completed', output: 'Sunny in Tokyo.', warnings: [] });
  expect(turn.usage).toMatchObject({ llm_calls: 2, tool_calls: 1, input_tokens: 22, cached_input_tokens: 8 });
  expect(turn.rounds[0]).toMatchObject({ finish_reason: 'tool_calls', assistant_response: 'Let me look.' });
  expect(turn.rounds[0]!.results[0]).toMatchObject({ status: 'success', content: weather('Tokyo') });
  const [first, second] = mistral.asked;
  expect(first!.body).toMatchObject({
    ...{ model: 'mistral-large-latest', temperature: 0.5, top_p: 0.9, max_tokens: 100, safe_prompt: true },
    tool_choice: 'auto',
  });
  expect(first!.headers).toMatchObject({
    authorization: 'Bearer a-secret-of-mine',
    'x-client-request-id': expect.any(String),
  });
  expect(second!.body.messages).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'How is Tokyo?' }] },
    { role: 'assistant', content: 'Let me look.', tool_calls: [{ id: 'abcdefgh1' }] },
    { role: 'tool', tool_call_id: 'abcdefgh1', content: weather('Tokyo') },
  ]);
});

test('a packaged provider streams its text, and a cancel ends its request', async ({ packages }) => {
  const { harness, bedrock } = packages;
  await using _worker = await startBackgroundWorker(harness, { beats: false });
  bedrock.answer({ body: bedrockWire.reply({ text: ['Sunny ', 'in '] }).slice(0, 2), ending: 'hang' });

  const { id } = await harness.startTurn({ model: 'bedrock/amazon.nova-pro', input: 'How is Tokyo?' });
  const stream = await openStream(`${harness.url}/v1/turns/${id}/events`, {});
  await stream.until((seen) => textOf(seen) === 'Sunny in ');
  const cancelled = await harness.call('POST', `/v1/turns/${id}/cancel`);
  await bedrock.left;
  await stream.over;

  expect(cancelled.body).toMatchObject({ status: 'cancelled' });
});

test('a conversation changes between wires and packages, and each gets its own state', async ({ packages }) => {
  const { harness, mistral, bedrock } = packages;
  const { body } = await harness.call('POST', '/v1/conversations', { body: { tools: ['weather_lookup'] } });
  const path = `/v1/conversations/${body.id}/turns`;
  const thinking = { reasoning: ['thought of bedrock'], text: ['Hm.'], calls: [call('tooluse_1', 'Kyoto')] };

  await say(harness, path, { model: 'openai/some', input: 'Hello' });
  play(bedrock, bedrockWire.reply(thinking), bedrockWire.reply({ text: ['Sunny in Kyoto.'] }));
  const kyoto = await say(harness, path, { model: 'bedrock/anthropic.claude-sonnet-4-5', input: 'And Kyoto?' });
  play(
    mistral,
    mistralWire.reply({ calls: [call('call_of_elsewhere', 'Osaka')] }),
    mistralWire.reply({ text: ['Sunny in Osaka.'] }),
  );
  const osaka = await say(harness, path, { model: 'mistral/mistral-large-latest', input: 'And Osaka?' });
  play(mistral, mistralWire.reply({ text: ['As before.'] }));
  const before = await say(harness, path, { model: 'before/mistral-large-latest', input: 'Again?' });
  play(bedrock, bedrockWire.reply({ text: ['Yes.'] }));
  const again = await say(harness, path, { model: 'bedrock/anthropic.claude-sonnet-4-5', input: 'And you?' });
  const openai = await say(harness, path, { model: 'openai/some', input: 'And you?' });

  expect([kyoto, osaka, before, again, openai].map(({ status }) => status)).toEqual(Array(5).fill('completed'));
  const signed = { reasoningContent: { reasoningText: { text: 'thought of bedrock', signature: 'c2lnbmVk' } } };
  const toolUse = { toolUse: { toolUseId: 'tooluse_1', name: 'weather_lookup', input: { city: 'Kyoto' } } };
  for (const asked of bedrock.asked.slice(1)) {
    expect(asked.body.messages).toContainEqual({ role: 'assistant', content: [signed, { text: 'Hm.' }, toolUse] });
  }
  for (const asked of mistral.asked) {
    expect(problemsOf(asked.body)).toEqual([]);
    expect(JSON.stringify(asked.body)).not.toContain('thought of bedrock');
  }
  expect(JSON.stringify(harness.modelRequests.at(-1))).not.toContain('thought of bedrock');
});

/** Returns the problems of a request to Mistral, which accepts an empty text beside calls. */
function problemsOf(body: Record<string, unknown>): string[] {
  const messages = (body.messages as { content: unknown }[]).map((message) => ({
    ...message,
    content: message.content === '' ? null : message.content,
  }));
  return checkOpenai({ ...body, messages }, /^[a-zA-Z0-9]{9}$/);
}

test('a final round sends no tools to a package, and earlier calls as text', async ({ packages }) => {
  const { harness, bedrock } = packages;
  play(
    bedrock,
    bedrockWire.reply({ calls: [call('tooluse_1', 'Kyoto')] }),
    bedrockWire.reply({ text: ['Sunny in Kyoto.'] }),
  );

  const turn = await say(harness, '/v1/turns', {
    ...{ model: 'bedrock/amazon.nova-pro', tools: ['weather_lookup'], input: 'Kyoto?', limits: { max_rounds: 1 } },
  });

  expect(turn.rounds).toHaveLength(2);
  const { toolConfig, messages } = bedrock.asked[1]!.body;
  expect(toolConfig).toBeUndefined();
  expect(JSON.stringify(messages)).toContain('sunny');
});

test('a packaged provider runs emulated calls', async ({ packages: { harness, bedrock } }) => {
  const decision = JSON.stringify({ tools: [{ tool: 'weather_lookup', arguments: { city: 'Kyoto' } }] });
  const texts = [['I cannot.'], [decision], ['I cannot.'], ['{"tools":[]}'], ['Sunny in Kyoto.']];
  const [first, ...more] = texts.map((text) => bedrockWire.reply({ text }));
  play(bedrock, first!, ...more);

  const turn = await say(harness, '/v1/turns', {
    ...{ model: 'bedrock/amazon.titan', tools: ['weather_lookup'], tool_mode: 'emulated', input: 'Kyoto?' },
  });

  expect(turn).toMatchObject({ status: 'completed', output: 'Sunny in Kyoto.', usage: { tool_calls: 1 } });
});

test('a broken stream is retried, a refused key is not, and no key is shown', async ({ packages }) => {
  const { harness, bedrock } = packages;
  bedrock.answer({ body: bedrockWire.reply({ text: ['Half'] }).slice(0, 1), ending: 'cut' });
  bedrock.answerNext({ body: bedrockWire.reply({ text: ['Whole.'] }) });
  const model = 'bedrock/amazon.nova-pro';
  const { id } = await harness.runTurn({ model, input: 'Hi' });
  await letTimePass(harness);
  const whole = await harness.findTurn(id);
  bedrock.answer({ ...bedrockWire.refusal(403), body: ['{"message":"The key a-secret-of-mine is not known."}'] });

  const refused = await say(harness, '/v1/turns', { model, input: 'Hi' });

  expect(whole).toMatchObject({ status: 'completed', output: 'Whole.' });
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'provider_permission_denied' } });
  expect(refused.error!.message).toContain('The key [redacted] is not known.');
});

test('a field without an equivalent in a package is refused at submission', async ({ packages: { harness } }) => {
  const start = (fields: object) => harness.call('POST', '/v1/turns', { body: { input: 'Hi', ...fields } });

  const efforts = await start({ model: 'before/m', reasoning_effort: 'low' });
  const verbosity = await start({ model: 'mistral/m', verbosity: 'low' });
  const options = await start({ model: 'mistral/m', provider_options: { safe_prompt: true } });
  const response = await harness.call('POST', '/openai/v1/responses', {
    body: { model: 'before/m', input: 'Hi', reasoning: { effort: 'low' } },
  });

  expect(efforts.body).toMatchObject({ error: { code: 'unsupported_parameter', param: 'reasoning_effort' } });
  expect(verbosity.body).toMatchObject({ error: { code: 'unsupported_parameter', param: 'verbosity' } });
  expect(options.body).toMatchObject({
    error: { code: 'unsupported_parameter', param: 'provider_options.safe_prompt' },
  });
  expect(response.body).toMatchObject({ error: { code: 'unsupported_value', param: 'reasoning.effort' } });
  expect((await harness.call('GET', '/v1/models')).body.data).toContainEqual(
    expect.objectContaining({ id: 'bedrock/*', wire: 'ai-sdk', tools: true }),
  );
});

test('a package and a wire serve as fallbacks for each other, without their options', async ({ packages }) => {
  const { harness, bedrock } = packages;
  const [model, other] = ['bedrock/amazon.nova-pro', 'sim/some'];
  play(bedrock, bedrockWire.reply({ text: ['In its place.'] }));
  const input = scripted({ final: { fault: { kind: 'status', status: 401 } } });

  const fallen = await say(harness, '/v1/turns', {
    ...{ model: other, fallback_models: [model], input, provider_options: { top_k: 4 } },
  });
  bedrock.answer(bedrockWire.refusal(403));
  const back = await say(harness, '/v1/turns', { model, fallback_models: [other], input: 'Hi' });

  expect(fallen).toMatchObject({ status: 'completed', output: 'In its place.', rounds: [{ model }] });
  expect(JSON.stringify(bedrock.asked[0]!.body)).not.toContain('top_k');
  expect(back).toMatchObject({ status: 'completed', rounds: [{ model: other }] });
});
