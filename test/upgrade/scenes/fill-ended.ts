import { sql } from 'kysely';
import { rollUpUsage } from '#core/checkpoint/usage/roll-up-usage.ts';
import { file, PDF, user } from '#test/api/blobs/samples.ts';
import { enterNow } from '#test/harness/enter-now.ts';
import { scripted } from '#test/harness/scripted.ts';
import { KEPT_MODEL, MAIN } from '../installation.ts';
import { call, clientTool, type Filling, markedTool, played, post, postAndWork, run, start } from './filling.ts';

type Named = { id: string };

const weather = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const long = 'word '.repeat(200).trim();

/** Brings turns to each end, and creates all other resources that exist after a turn. */
export async function fillEnded(filling: Filling): Promise<void> {
  await fillEnds(filling);
  await fillConversations(filling);
  await fillOpenaiResources(filling);
  await fillForks(filling);
  await fillFiles(filling);
  await fillUsage(filling);
  await enterNow(filling.harness);
}

async function fillEnds(filling: Filling): Promise<void> {
  const { main } = filling;
  const tools = [
    'weather_lookup',
    markedTool(filling, 'book', { effect: 'at_most_once', rate_limit: { max: 5, per_seconds: 3_600 } }),
  ];
  const rounds = [{ say: 'Let me look.', tools: [weather, call('book', 'completed')] }];
  await run(filling, 'completed', { script: { rounds, answer: 'All is booked.' }, tools });
  const refused = { fault: { kind: 'status' as const, status: 401, times: 1 } };
  await run(filling, 'failed', { script: { answer: 'The key is right now.', final: refused } });
  const cancelled = await start(filling, 'cancelled', { script: { answer: 'Never.' } });
  await post(filling, `/v1/turns/${cancelled.id}/cancel`);
  const limited = { script: { rounds: [{ tools: [weather] }, { tools: [weather] }], answer: 'So far.' } };
  await run(filling, 'limited', { ...limited, tools, limits: { max_rounds: 1 } });
  await run(filling, 'hosted', hostedRequest);
  const headers = { 'idempotency-key': 'upgrade-1' };
  await main.call('POST', '/v1/turns', { body: { model: 'openai/test', ...repeatedRequest }, headers });
  await filling.harness.workUntilIdle();
}

/** A turn with a hosted call, a citation and an image. */
const hostedRequest = {
  script: {
    answer: 'It is sunny.',
    final: {
      hosted: [
        { type: 'web_search' as const, input: { query: 'Bern' }, output: ['https://weather.test'] },
        { type: 'image_generation' as const },
      ],
      citations: [{ url: 'https://weather.test', title: 'Weather', text: 'sunny' }],
    },
  },
  ...{ model: KEPT_MODEL, provider_options: { background: false } },
  tools: [{ type: 'web_search' }, { type: 'image_generation' }],
};

/** A request that was sent with the idempotency key `upgrade-1`. */
export const repeatedRequest = played('idempotent', { answer: 'Once.' });

async function fillConversations(filling: Filling): Promise<void> {
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const { id } = await post<Named>(filling, '/v1/conversations', { model: 'openai/test', context });
  const body = played('compacted', { answer: long, summary: { say: 'They greeted.' } });
  for (const _ of [1, 2, 3]) {
    await post(filling, `/v1/conversations/${id}/turns`, body);
    await filling.harness.workUntilIdle();
  }
  await fillJoined(filling);
}

/** Adds inputs to a turn before its start, and to a turn before its second round. */
async function fillJoined(filling: Filling): Promise<void> {
  const joined = await start(filling, 'joined', { script: { answer: 'Never said.' } });
  await post(filling, `/v1/turns/${joined.id}/input`, { input: scripted({ answer: 'Both inputs.' }) });
  await filling.harness.workUntilIdle();
  const script = { rounds: [{ tools: [call('ask_person', 'midway')] }], answer: 'The first input.' };
  const midway = await start(filling, 'joined_midway', { script, tools: [clientTool] });
  await post(filling, `/v1/turns/${midway.id}/input`, { input: scripted(script) });
  await filling.harness.workUntilIdle();
  await post(filling, `/v1/turns/${midway.id}/input`, { input: scripted({ answer: 'All inputs.' }) });
  const { required_action: action } = await filling.main.findTurn(midway.id);
  const outputs = action?.tool_outputs.map(({ id }) => ({ tool_call_id: id, output: 'yes' }));
  await post(filling, `/v1/turns/${midway.id}/tool_outputs`, { tool_outputs: outputs });
  await filling.harness.workUntilIdle();
}

async function fillOpenaiResources(filling: Filling): Promise<void> {
  const answer = (scene: string) => ({ model: 'test', background: true, ...played(scene, { answer: 'Hello.' }) });
  const first = await post<Named>(filling, '/v1/responses', answer('response'));
  await filling.harness.workUntilIdle();
  const next = { ...answer('next_response'), previous_response_id: first.id };
  const { id: nextId } = await post<Named>(filling, '/v1/responses', next);
  await filling.harness.workUntilIdle();
  await filling.main.call('DELETE', `/v1/responses/${first.id}`);
  await post<Named>(filling, '/v1/responses', { ...answer('last_response'), previous_response_id: nextId });
  const items = [{ role: 'user', content: 'I am Ada.' }];
  const conversation = await post<Named>(filling, '/openai/v1/conversations', { items, metadata: { of: 'openai' } });
  await post(filling, '/openai/v1/responses', { ...answer('in_conversation'), conversation: conversation.id });
  await filling.harness.workUntilIdle();
  const locate = { type: 'function', name: 'locate', parameters: { type: 'object' } };
  const asking = played('handed_over', { rounds: [{ say: 'Do this.', tools: [call('locate', 'caller')] }] });
  await post(filling, '/v1/responses', { model: 'test', background: true, ...asking, tools: [locate] });
  await filling.harness.workUntilIdle();
  const paying = played('asks_approval', { rounds: [{ tools: [call('pay', 'adopted')] }], answer: 'All is paid.' });
  const tools = [markedTool(filling, 'pay', { approval: 'always' })];
  await post(filling, '/v1/responses', { model: 'test', background: true, ...paying, tools });
  await filling.harness.workUntilIdle();
  const messages = [{ role: 'user', content: scripted({ answer: 'Completed.' }) }];
  const completion = { model: 'test', store: true, metadata: { scene: 'completion' } };
  await postAndWork(filling, '/v1/chat/completions', { ...completion, messages });
}

async function fillForks(filling: Filling): Promise<void> {
  const script = { rounds: [{ tools: [weather] }], answer: 'Sunny.' };
  const origin = await run(filling, 'origin', { script, tools: ['weather_lookup'] });
  const metadata = (scene: string) => ({ metadata: { scene } });
  await post(filling, `/v1/turns/${origin.id}/fork`, { after_round: 1, ...metadata('fork') });
  await post(filling, `/v1/turns/${origin.id}/rerun`, metadata('rerun'));
  const removed = await run(filling, 'removed', { script, tools: ['weather_lookup'] });
  await post(filling, `/v1/turns/${removed.id}/fork`, { after_round: 1, ...metadata('fork_of_removed') });
  await filling.harness.workUntilIdle();
  await filling.main.call('DELETE', `/v1/turns/${removed.id}`);
}

async function fillFiles(filling: Filling): Promise<void> {
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', new File([Buffer.from(PDF, 'base64')], 'offer.pdf', { type: 'application/pdf' }));
  const authorization = `Bearer ${MAIN.key}`;
  await fetch(`${filling.harness.url}/v1/files`, { method: 'POST', body: form, headers: { authorization } });
  const input = user({ type: 'input_text', text: scripted({ answer: 'A file.' }) }, file(PDF));
  await filling.main.startTurn({ input, metadata: { scene: 'with_file' } });
  await filling.harness.workUntilIdle();
}

/** Makes the usage of the turns so far older by an hour, and sums it. The usage of later turns stays in records. */
async function fillUsage({ harness }: Filling): Promise<void> {
  await sql`update usage_records set at = at - interval '1 hour'`.execute(harness.db);
  while (await rollUpUsage(harness.db));
}
