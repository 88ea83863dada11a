import { expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

async function read({ url }: Harness, path: string, tags?: string) {
  const response = await fetch(url + path, { headers: tags === undefined ? {} : { 'if-none-match': tags } });
  const text = await response.text();
  const { status, headers } = response;
  return { status, text, tag: headers.get('etag') ?? '', cache: headers.get('cache-control') };
}

test('a request with a matching entity tag gets 304 without a body', async ({ harness }) => {
  const turn = await harness.startTurn({ input: 'Look', tools: ['weather_lookup'] });
  await harness.workUntilIdle();
  const paths = [
    `/v1/turns/${turn.id}`,
    `/v1/turns/${turn.id}/rounds`,
    `/v1/conversations/${turn.conversation_id}/messages`,
  ];

  for (const path of paths) {
    const { status, tag, text, cache } = await read(harness, path);
    expect({ status, cache }).toEqual({ status: 200, cache: 'private, no-cache' });
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(JSON.parse(text)).toHaveProperty('object');

    for (const tags of [tag, `W/${tag}`, `"other", ${tag}`, `"a",W/${tag} , "b"`, '*']) {
      expect(await read(harness, path, tags)).toEqual({ status: 304, text: '', tag, cache });
    }
    for (const tags of ['"other"', tag.slice(1, -1), `"${tag}"`, '']) {
      expect(await read(harness, path, tags)).toEqual({ status: 200, text, tag, cache });
    }
  }
});

test('an entity tag differs after a change and with other parameters', async ({ harness }) => {
  const turn = await harness.startTurn({ input: 'Look', tools: ['weather_lookup'] });
  const path = `/v1/turns/${turn.id}`;
  const queued = await read(harness, path);
  await harness.workUntilIdle();

  const done = await read(harness, path, queued.tag);
  const others = [
    await read(harness, `${path}?include=config`, done.tag),
    await read(harness, `${path}?max_result_bytes=1`, done.tag),
  ];

  expect(done.status).toBe(200);
  expect(others.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set([queued, done, ...others].map(({ tag }) => tag)).size).toBe(4);
});

test('a long poll compares the entity tag after it has waited', async ({ harness }) => {
  const turn = await harness.startTurn({ input: scripted({ answer: 'Hi' }) });
  const path = `/v1/turns/${turn.id}`;
  const queued = await read(harness, path);

  const waiting = read(harness, `${path}?wait=30`, queued.tag);
  await harness.workUntilIdle();
  const ended = await waiting;

  expect(ended.status).toBe(200);
  expect(await read(harness, `${path}?wait=30`, ended.tag)).toMatchObject({ status: 304, tag: ended.tag });
});
