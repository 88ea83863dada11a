import { expect } from 'vitest';
import type { AgentResource } from '#core/turn/resource/agent.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../refusals.ts';
import { changeAgent, createAgent } from './agents.ts';

type Page = { object: string; data: AgentResource[]; has_more: boolean; next_cursor: string | null };

/** Reads all pages of a list. */
async function pagesOf({ call }: Harness, path: string, limit: number): Promise<AgentResource[][]> {
  const pages: AgentResource[][] = [];
  let cursor: string | null = null;
  do {
    const { body }: { body: Page } = await call<Page>(
      'GET',
      `${path}?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
    );
    expect(body.has_more).toBe(body.next_cursor !== null);
    pages.push(body.data);
    cursor = body.next_cursor;
  } while (cursor);
  return pages;
}

test('agents are listed with their current versions, newest first, in pages', async ({ harness }) => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) await createAgent(harness, { name });
  const changed = await changeAgent(harness, 'b', { seed: 7 });
  await harness.call('DELETE', '/v1/agents/d');

  const pages = await pagesOf(harness, '/v1/agents', 2);

  expect(pages.map((page) => page.map(({ name }) => name))).toEqual([
    ['e', 'c'],
    ['b', 'a'],
  ]);
  expect(pages.flat()).toContainEqual(changed);
});

test('the versions of an agent are listed newest first, in pages, by name and by id', async ({ harness }) => {
  const first = await createAgent(harness);
  const others: AgentResource[] = [];
  for (const seed of [2, 3, 4, 5]) others.push(await changeAgent(harness, 'support', { seed }));
  const all = [...others.toReversed(), first];

  const byName = await pagesOf(harness, '/v1/agents/support/versions', 2);
  const byId = await pagesOf(harness, `/v1/agents/${first.id}/versions`, 5);

  expect(byName.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(byName.flat()).toEqual(all);
  expect(byId).toEqual([all]);
});

test('an agent is read by id and by name, with its current version or another', async ({ harness }) => {
  const first = await createAgent(harness);
  const second = await changeAgent(harness, 'support', { seed: 7 });
  const read = async (path: string) => (await harness.call('GET', `/v1/agents/${path}`)).body;

  for (const name of [first.id, 'support']) {
    expect(await read(name)).toEqual(second);
    expect(await read(`${name}?version=1`)).toEqual(first);
    expect(await read(`${name}?version=2`)).toEqual(second);
  }
});

test('an unknown agent, version or cursor is refused', async ({ harness }) => {
  await createAgent(harness);
  const refused = async (path: string) => describeRefusal(await harness.call('GET', `/v1/agents${path}`));

  for (const path of ['/sales', '/sales/versions', '/support?version=2', '/agent_none', '/a%20b', '/%00/versions'])
    expect(await refused(path)).toBe('404 agent_not_found: id');
  for (const version of ['0', 'x', '1.5', '-1'])
    expect(await refused(`/support?version=${version}`)).toBe('400 invalid_value: version');
  for (const list of ['', '/support/versions'])
    expect(await refused(`${list}?cursor=x`)).toBe('400 invalid_value: cursor');
});
