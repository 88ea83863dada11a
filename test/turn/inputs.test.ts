import { expect, test } from 'vitest';
import { compactHistory } from '#core/turn/history/compact.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import { turnBefore } from '#core/turn/history/turn-before.ts';
import { beginningInput, placeJoined, wholeInput } from '#core/turn/inputs/joined-input.ts';
import { itemsOfTurn } from '#core/turn/responses/conversation-items.ts';
import type { Turn } from '#core/turn/turn.ts';
import { makeRound, makeTurn } from './make-turn.ts';

const said = (content: string) => ({ role: 'user' as const, content });
const joining = (...texts: string[]) => texts.map((text) => ({ content: [said(text)], metadata: {} }));
const texts = (items: readonly object[]) => items.map((item) => ('content' in item ? item.content : null));

/** Returns a turn as read from its rows, with `inputsSent` of each round in order. */
function asRead(own: Partial<Turn>, ...sent: number[]): Turn {
  const rounds = sent.map((inputsSent, index) => ({ ...makeRound(index + 1, `text ${index + 1}`), inputsSent }));
  const turn = makeTurn({ ...own, rounds });
  return { ...turn, ...placeJoined(turn), input: beginningInput(turn) };
}

test('joined input belongs to the round that was first sent with it', () => {
  const joined = joining('a', 'b', 'c', 'd', 'e');

  const queued = asRead({ joined, inputsAtStart: null, status: 'queued' });
  const running = asRead({ joined, inputsAtStart: 1 }, 1, 3);
  const waiting = asRead({ joined, inputsAtStart: 5 });

  expect([texts(queued.input), queued.pendingInput]).toEqual([['Hi', 'a', 'b', 'c', 'd', 'e'], []]);
  expect(texts(running.input)).toEqual(['Hi', 'a']);
  expect(running.rounds.map(({ input }) => texts(input))).toEqual([[], ['b', 'c']]);
  expect(texts(running.pendingInput)).toEqual(['d', 'e']);
  expect(texts(wholeInput(running))).toEqual(['Hi', 'a', 'b', 'c', 'd', 'e']);
  expect([texts(waiting.input).length, waiting.pendingInput]).toEqual([6, []]);
});

test('transcript, history and items show joined input in the order of sending', () => {
  const turn = asRead({ joined: joining('a', 'b'), inputsAtStart: 0, status: 'failed' }, 0, 1);

  const order = ['Hi', 'text 1', 'a', 'text 2', 'b'];
  expect(texts(transcriptOf([turn]))).toEqual(order);
  expect(itemsOfTurn(turn, []).map(({ id }) => id.split('_').at(-1))).toEqual(['i0', 'r1', 'i1', 'r2', 'i2']);
  expect(compactHistory([turn]).map(({ content, rounds }) => [content, rounds?.length ?? 0])).toEqual([
    ['Hi', 0],
    [null, 2],
    ['b', 0],
  ]);
  expect(texts(transcriptOf([turnBefore(turn, 2)]))).toEqual(['Hi', 'text 1', 'a']);
});
