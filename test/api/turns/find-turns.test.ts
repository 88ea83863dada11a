import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { enterNow } from '#test/harness/enter-now.ts';
import { scripted } from '#test/harness/scripted.ts';

type List = { data: TurnResource[]; has_more: boolean; next_cursor: string | null };

const REFUSED = { kind: 'status', status: 401 } as const;

/** Returns the names of the turns that a query finds, newest first. */
async function found({ call }: Harness, query: string): Promise<string[]> {
  const { status, body } = await call<List>('GET', `/v1/turns?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ metadata }) => metadata.name ?? '');
}

/** Starts three turns: a completed turn, a failed turn and a queued turn. */
async function startThree(harness: Harness): Promise<void> {
  await harness.startTurn({
    input: scripted({ answer: 'A Pumpkin, as you wished' }),
    metadata: { name: 'done', customer: '17', tier: 'gold' },
  });
  await harness.startTurn({
    input: scripted({ answer: 'Hi', final: { fault: REFUSED } }),
    metadata: { name: 'failed', customer: '17', tier: '' },
  });
  await harness.workUntilIdle();
  await harness.startTurn({
    input: [
      { role: 'system', content: 'Zürich stays calm' },
      { role: 'user', content: [{ type: 'input_text', text: 'Where is the PUMPKIN patch?' }] },
    ],
    model: 'sim/other',
    metadata: { name: 'queued', customer: '18' },
  });
}

const cases: [string, string[]][] = [
  ['status=queued,failed', ['queued', 'failed']],
  ['status=completed', ['done']],
  ['model=sim/other', ['queued']],
  ['model=sim/nothing', []],
  ['error_code=provider_authentication_failed', ['failed']],
  ['error_code=provider_authentication_failed&status=completed', []],
  ['metadata[customer]=17', ['failed', 'done']],
  ['metadata[customer]=17&metadata[tier]=gold', ['done']],
  ['metadata[tier]=', ['failed']],
  ['metadata[customer]=1', []],
  ['q=pumpkin', ['queued', 'done']],
  ['q=pumpkin%20wished', ['done']],
  ['q=Pumpkin%20-wished', ['queued']],
  ['q=%22pumpkin%20patch%22', ['queued']],
  ['q=%22patch%20pumpkin%22', []],
  ['q=Z%C3%9CRICH%20CALM', ['queued']],
  ['q=pumpkin&metadata[customer]=18&status=queued&model=sim/other', ['queued']],
  ['q=pumpkin&metadata[customer]=17&status=queued', []],
  ['q=!!!', []],
  ['q=pumpkin&created_before=2020-01-01T00:00:00Z', []],
  ['created_after=2020-01-01T00:00:00%2B02:00&q=pumpkin', ['queued', 'done']],
];

test.each([false, true])('filters find turns, whether a worker has indexed them: %s', async (isEntered) => {
  await using harness = await createHarness();
  await startThree(harness);

  if (isEntered) await enterNow(harness);

  for (const [query, names] of cases) expect([query, await found(harness, query)]).toEqual([query, names]);
});
