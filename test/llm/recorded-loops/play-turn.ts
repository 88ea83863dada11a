import type { TurnResource } from '#core/turn/resource/turn.ts';
import { isTerminal } from '#core/turn/turn.ts';
import { type Harness, letTimePass } from '#test/harness/create-harness.ts';
import type { Answer, RecordedTurn } from './recorded-turns.ts';

export type Played = { turn: TurnResource } | { refused: { code: string; message: string } };

/**
 * Starts a recorded turn and answers its calls with the recorded results. If the last calls have no recorded results,
 * the turn keeps waiting for them.
 */
export async function playTurn(
  harness: Harness,
  recorded: RecordedTurn,
  conversationId: string | null,
): Promise<Played> {
  const path = conversationId ? `/v1/conversations/${conversationId}/turns` : '/v1/turns';
  const input = recorded.input.flatMap(({ role, text }) => (text ? [{ role, content: text }] : []));
  const { status, body } = await harness.call<TurnResource & Played>('POST', path, {
    body: { ...recorded.fields, input },
  });
  if (status !== 202) return { refused: (body as unknown as { error: { code: string; message: string } }).error };

  const usable = recorded.rounds.filter(({ reply }) => reply.problem === null);
  for (;;) {
    await harness.workUntilIdle();
    const turn = await harness.findTurn(body.id);
    if (isTerminal(turn.status)) return { turn };
    if (turn.status !== 'requires_action') await letTimePass(harness);
    else if (!(await answer(harness, turn, usable[turn.rounds.length - 1]?.answers ?? []))) return { turn };
  }
}

/** Answers waiting calls. Returns false if the recorded client answered no call. */
async function answer(harness: Harness, turn: TurnResource, answers: (Answer | null)[]): Promise<boolean> {
  if (!answers.some(Boolean)) return false;
  const waiting = turn.required_action?.tool_outputs.map(({ id }) => id) ?? [];
  const calls = turn.rounds.at(-1)!.tool_calls;
  const tool_outputs = calls
    .map(({ id }, place) => ({ tool_call_id: id, ...outcome(answers[place]) }))
    .filter(({ tool_call_id }) => waiting.includes(tool_call_id));
  const { status, body } = await harness.call('POST', `/v1/turns/${turn.id}/tool_outputs`, { body: { tool_outputs } });
  if (status !== 200) throw new Error(`the answers were refused: ${JSON.stringify(body)}`);
  return true;
}

function outcome(given: Answer | null | undefined) {
  if (!given) return { error: { category: 'cancelled', message: 'The client did not run it.' } };
  return given.isError ? { error: { category: 'unknown', message: given.text } } : { output: given.text };
}
