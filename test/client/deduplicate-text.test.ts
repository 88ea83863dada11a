import type { TurnEvent } from 'pawl/client';
import { expect, test } from 'vitest';
import { deduplicateText } from '#client/events/follow-events.ts';

const started = (round: number, attempt = 1) => ({ type: 'round.started', turn_id: 'turn_1', round, attempt }) as const;
const delta = (text: string, offset: number, { round = 1, attempt = 1, type = 'output_text.delta' as const } = {}) =>
  ({ type, turn_id: 'turn_1', round, attempt, offset, delta: text }) satisfies TurnEvent;

/** Returns a completed round with the fields that `deduplicateText` reads. */
function completed(round: number, text: string | null): TurnEvent {
  const fields = { turn_id: 'turn_1', id: 'evt_1', sequence_number: 3, created_at: '' };
  const reply = { assistant_response: text, tool_calls: [], finish_reason: 'stop', usage: null, attempts: 1 } as const;
  return { ...fields, type: 'round.completed', round, ...reply, tool_calls: [] };
}

function yielded(events: TurnEvent[]): TurnEvent[] {
  const deduplicate = deduplicateText();
  return events.flatMap(deduplicate);
}

test('text that another connection repeats is removed', () => {
  const again = [started(1), delta('Hello wor', 0), delta('ld', 9)];

  const all = yielded([started(1), delta('Hel', 0), delta('lo', 3), ...again, completed(1, 'Hello world')]);

  expect(all).toEqual([
    ...[started(1), delta('Hel', 0), delta('lo', 3), delta(' wor', 5), delta('ld', 9)],
    completed(1, 'Hello world'),
  ]);
});

test('missed text is sent before the round completes', () => {
  expect(yielded([started(1), delta('Hel', 0), completed(1, 'Hello')])).toEqual([
    ...[started(1), delta('Hel', 0), delta('lo', 3)],
    completed(1, 'Hello'),
  ]);
  expect(yielded([completed(2, 'All of it')])).toEqual([
    ...[started(2), delta('All of it', 0, { round: 2 })],
    completed(2, 'All of it'),
  ]);
});

test('a text from another attempt is sent as another attempt', () => {
  const all = yielded([started(1), delta('Half a sen', 0), completed(1, 'Another sentence')]);

  expect(all.slice(2, -1)).toEqual([started(1, 2), delta('Another sentence', 0, { attempt: 2 })]);
});

test('late text of an abandoned attempt is dropped', () => {
  const late = [delta('tence', 10), { ...delta('', 0), type: 'tool_call.arguments.delta', index: 0 } as const];

  const all = yielded([started(1), delta('Half a sen', 0), started(1, 2), ...late, delta('New', 0, { attempt: 2 })]);

  expect(all.slice(2)).toEqual([started(1, 2), delta('New', 0, { attempt: 2 })]);
});

test('a delta after a gap waits until the round completes', () => {
  const all = yielded([started(1), delta('Hel', 0), delta('world', 6), completed(1, 'Hello world')]);

  expect(all.slice(1, -1)).toEqual([delta('Hel', 0), delta('lo world', 3)]);
});

test('a round without text only starts and completes', () => {
  expect(yielded([completed(1, null)])).toEqual([started(1), completed(1, null)]);
});

test('the start and the end of a hosted call are yielded once over two connections', () => {
  const call = { id: 'ws_1', type: 'web_search', input: null, output: null, error: null, offset: 0 } as const;
  const event = (type: 'hosted_call.started' | 'hosted_call.completed', attempt = 1): TurnEvent => {
    const status = type === 'hosted_call.started' ? 'in_progress' : 'completed';
    return { type, turn_id: 'turn_1', round: 1, attempt, hosted_call: { ...call, status } };
  };
  const once = [started(1), event('hosted_call.started'), event('hosted_call.completed')];
  const second = [started(1, 2), event('hosted_call.started', 2)];

  expect(yielded([...once.slice(0, 2), ...once, ...second, ...second])).toEqual([...once, ...second]);
});
