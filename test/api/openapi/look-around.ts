import type { visitor } from './visitor.ts';

type Ask = ReturnType<typeof visitor>['ask'];

/** Asks for what is there without a turn: lists, figures, health and pages. */
export async function lookAround(ask: Ask, url: string): Promise<void> {
  const names = 'models tools webhook_secret workers queues statistics statistics/turns'
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
