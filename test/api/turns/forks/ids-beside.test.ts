import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

test('ids of a conversation, its turns and its forks have the same end', async ({ harness }) => {
  const input = scripted({ answer: 'Yes.' });
  const post = async <T>(path: string, body: object = {}) => (await harness.call<T>('POST', path, { body })).body;
  const respond = (body: object) =>
    post<{ id: string; conversation: { id: string } | null }>('/v1/responses', {
      model: 'openai/test',
      input,
      ...body,
    });

  const first = await harness.startTurn({ input });
  const conversation = { conversation_id: first.conversation_id };
  const next = await post<TurnResource>(`/v1/conversations/${first.conversation_id}/turns`, { input });
  await harness.workUntilIdle();
  const fork = await post<TurnResource>(`/v1/turns/${first.id}/fork`, { input });
  const rerun = await post<TurnResource>(`/v1/turns/${next.id}/rerun`);
  await harness.workUntilIdle();
  const response = await respond({ background: true });
  await harness.workUntilIdle();
  const behind = await respond({ background: true, previous_response_id: response.id });
  await harness.workUntilIdle();
  const beside = await respond({ background: true, previous_response_id: response.id });

  const turns = [conversation, next, fork, rerun].map(({ conversation_id }) => conversation_id);
  expect(new Set(turns).size).toBe(3);
  expect(endsOf([...turns, first.id, next.id, fork.id, rerun.id])).toEqual([first.id.slice(-4)]);
  expect(endsOf([response.id, behind.id, beside.id])).toEqual([response.id.slice(-4)]);
  const other = await harness.startTurn({ input });
  expect(endsOf([first.id, other.id])).toHaveLength(2);
});

function endsOf(ids: (string | null)[]): string[] {
  return [...new Set(ids.map((id) => String(id).slice(-4)))];
}
