import { expect, test } from 'vitest';
import type { Provider } from '#core/llm/provider.ts';
import { makeModelLists } from '#services/api/openai/responses/model-lists.ts';

/** Returns the model lists of a provider. The test gives its answers and sets the time. */
function listing() {
  const asked: PromiseWithResolvers<{ id: string; created: number }[]>[] = [];
  const clock = { now: 0 };
  const listModels = () => {
    const answer = Promise.withResolvers<{ id: string; created: number }[]>();
    asked.push(answer);
    return answer.promise;
  };
  const provider = { listModels } as unknown as Provider;
  const lists = makeModelLists({ providers: { find: () => provider } }, () => clock.now);
  return { asked, clock, list: () => lists.listOf('one') };
}

test('model lists are shared for a minute, then requested again', async () => {
  const { asked, clock, list } = listing();

  const both = Promise.all([list(), list()]);
  asked[0]!.resolve([{ id: 'a', created: 0 }]);
  const [first, second] = await both;
  clock.now = 59_999;
  const third = await list();
  clock.now = 60_000;
  const fourth = list();
  asked[1]!.resolve([]);

  expect([first, second, third]).toEqual(Array(3).fill([{ id: 'a', created: 0 }]));
  expect(await fourth).toEqual([]);
  expect(asked).toHaveLength(2);
});

test('a failed model list is not cached', async () => {
  const { asked, list } = listing();

  const failing = list();
  asked[0]!.reject(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  const next = list();
  asked[1]!.resolve([]);

  expect(await next).toEqual([]);
});
