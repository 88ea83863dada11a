import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import type { Ask } from './visitor.ts';

const model = 'openai/test';
const get = { type: 'function', function: { name: 'get', description: 'Gets', parameters: { type: 'object' } } };
const user = (content: string) => [{ role: 'user', content }];
const fault = (status: number) => scripted({ answer: 'Never.', final: { fault: { kind: 'status', status } } });

/** Creates completions of every kind under each base, and reads, lists, changes and deletes them. */
export async function playCompletions(ask: Ask, harness: Harness): Promise<void> {
  const calling = user(scripted({ rounds: [{ say: 'I look.', reasoning: 'Hm.', tools: [{ name: 'get' }] }] }));
  for (const base of ['/v1', '/openai/v1']) {
    const path = `${base}/chat/completions`;
    const create = (body: object, headers?: Record<string, string>) =>
      workMeanwhile(harness, () =>
        ask<{ id: string }>('POST', path, { body: { model, ...body }, ...(headers && { headers }) }),
      );
    const { id } = await create({ messages: calling, tools: [get], store: true, metadata: { order: '17' } });
    await create({ messages: calling, functions: [get.function] });
    await create({ messages: calling, tools: [get], stream: true, stream_options: { include_usage: true } });
    for (const _ of [1, 2]) await create({ messages: user('Hi') }, { 'idempotency-key': 'once' });
    await create({ messages: user(fault(400)), store: true });
    await create({ messages: user(fault(401)) });

    const reads = [`/${id}`, `/${id}?wait=1`, `/${id}/messages`, `?model=${model}&metadata[order]=17`, ''];
    for (const read of reads) await ask('GET', path + read);
    await ask('POST', `${path}/${id}`, { body: { metadata: { order: '18' } } });
    await ask('DELETE', `${path}/${id}`);
  }
}

/** Runs the jobs of the harness until a waiting request is answered. */
export async function workMeanwhile<T>(harness: Harness, request: () => Promise<T>): Promise<T> {
  let isAnswered = false;
  const answer = request().finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) await harness.workUntilIdle();
  return answer;
}

/** Requests an unknown completion under each base. */
export async function missCompletion(ask: Ask, id: string): Promise<void> {
  for (const base of ['/v1', '/openai/v1']) {
    const completion = `${base}/chat/completions/${id}`;
    for (const path of [completion, `${completion}/messages`]) await ask('GET', path);
    await ask('POST', completion, { body: { metadata: {} } });
    await ask('DELETE', completion);
  }
}
