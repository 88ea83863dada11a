import type { Ask } from './visitor.ts';

/** Requests everything that needs no turn: lists, figures, health and pages. */
export async function lookAround(ask: Ask, url: string): Promise<void> {
  const names = 'models tools webhook_secret workers queues batches statistics statistics/turns'
    .split(' ')
    .map((name) => `v1/${name}`);
  const open = 'healthz readyz metrics openapi.json openai/v1/models openai/v1/models/sim%2Fdemo'.split(' ');
  for (const path of [...names, ...open]) await ask('GET', `/${path}`);
  for (const path of ['/', '/docs', '/inspector/inspector.js', '/inspector/docs.js']) {
    const { headers } = await fetch(url + path);
    await ask('GET', path);
    await ask('GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  }
}

/** Finds turns and conversations by all filters, reads a turn in each way, and changes its conversation. */
export async function findAndChange(ask: Ask, { id, turn }: { id: string; turn: { id: string } }): Promise<void> {
  const filter = 'model=openai/test&q=what&metadata[customer]=17&created_after=2020-01-01T00:00:00Z';
  await ask('GET', `/v1/turns?status=queued,completed&error_code=internal&${filter}`);
  await ask('GET', '/v1/turns?limit=1');
  await ask('GET', `/v1/conversations?${filter}`);
  await ask('GET', `/v1/turns/${turn.id}?include=config&max_result_bytes=1`);
  for (const path of [`/v1/turns/${turn.id}`, `/v1/turns/${turn.id}/rounds`, `/v1/conversations/${id}/messages`])
    await ask('GET', path, { headers: { 'if-none-match': '*' } });
  await ask('PATCH', `/v1/conversations/${id}`, { body: { seed: 7 } });
}
