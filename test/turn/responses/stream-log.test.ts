import { expect, test } from 'vitest';
import { isSuperseded, responseEvents } from '#core/turn/responses/events.ts';
import { DRAFT_SIZE, LOG_START, readSection } from '#core/turn/responses/log.ts';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { runningPieces } from '#core/turn/responses/running-round.ts';
import { comparePieces } from '#core/turn/responses/sent.ts';
import type { Round, Turn } from '#core/turn/turn.ts';
import { makeRound } from '../make-turn.ts';
import { askedForState, askedResponse, joinedOutput, makeResponse } from './make-response.ts';

const NEVER = { orderOf: () => [] };
const eventsOf = (turn: Turn, after = -1) => [...responseEvents(turn, { after, ...NEVER })];
const typesOf = (events: NumberedEvent[]) =>
  events.map(({ type, sequence_number }) => [sequence_number, type.slice(9)]);

const answer = (own: Partial<Round> = {}) => ({ ...makeRound(1, null), ...own });
const completed = (own: Partial<Turn> = {}) =>
  makeResponse({ status: 'completed', output: 'Hello', rounds: [answer()], ...own });

test('the log has all events of an answer, and a number per unit of text', () => {
  const events = eventsOf(completed());

  expect(typesOf(events)).toEqual([
    [0, 'created'],
    [2, 'in_progress'],
    [3, 'output_item.added'],
    [4, 'content_part.added'],
    [9, 'output_text.delta'],
    [10, 'output_text.done'],
    [11, 'content_part.done'],
    [12, 'output_item.done'],
    [13, 'completed'],
  ]);
  expect(events.at(-1)).toMatchObject({ response: presentResponse(completed()) });
});

test('a background response logs queued at the same numbers', () => {
  const turn = completed();
  const asked = { ...turn.config.response!, background: true };
  const events = eventsOf({ ...turn, config: { ...turn.config, response: asked } });

  expect(typesOf(events).slice(0, 4)).toEqual([
    [0, 'created'],
    [1, 'queued'],
    [2, 'in_progress'],
    [3, 'output_item.added'],
  ]);
  expect(events[1]).toMatchObject({ response: { status: 'queued', output: [], usage: null } });
});

test('reasoning is an item before the message, a refusal a part after the text', () => {
  const rounds = [answer({ reasoning: 'Hm', refusalFrom: 2, finishReason: 'refusal' })];
  const turn = completed({ status: 'incomplete', incompleteReason: 'content_filter', output: 'Oh. No.', rounds });

  expect(typesOf(eventsOf(turn)).slice(2)).toEqual([
    [3, 'output_item.added'],
    [4, 'reasoning_summary_part.added'],
    [6, 'reasoning_summary_text.delta'],
    [7, 'reasoning_summary_text.done'],
    [8, 'reasoning_summary_part.done'],
    [9, 'output_item.done'],
    [10, 'output_item.added'],
    [11, 'content_part.added'],
    [13, 'output_text.delta'],
    [14, 'output_text.done'],
    [15, 'content_part.done'],
    [16, 'content_part.added'],
    [21, 'refusal.delta'],
    [22, 'refusal.done'],
    [23, 'content_part.done'],
    [24, 'output_item.done'],
    [25, 'completed'],
  ]);
});

test('reasoning with state begins each round, and is done after the text', () => {
  const rounds = [
    answer({ text: 'One', sealed: 'sealed 1' }),
    { ...makeRound(2, null, [{}]), sealed: 'sealed 2' },
    answer({ number: 3, reasoning: 'Hm', sealed: 'sealed 3' }),
  ];
  const events = eventsOf(makeResponse({ status: 'completed', output: 'Hi', rounds }, askedForState));

  expect(events.map(({ type }) => type.slice(9)).slice(2, -1)).toEqual([
    ...['output_item.added', 'output_item.added', 'content_part.added', 'output_text.delta', 'output_item.done'],
    ...['output_text.done', 'content_part.done', 'output_item.done'],
    ...['output_item.added', 'output_item.done', 'output_item.added'],
    ...['mcp_call_arguments.delta', 'mcp_call_arguments.done', 'mcp_call.in_progress'],
    ...['mcp_call.completed', 'output_item.done'],
    ...['output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta'],
    ...['reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.added', 'content_part.added'],
    ...['output_text.delta', 'output_item.done', 'output_text.done', 'content_part.done', 'output_item.done'],
  ]);
  const items = events.filter(({ item }) => (item as { type?: string })?.type === 'reasoning');
  expect(items.map(({ item }) => (item as { encrypted_content?: string }).encrypted_content)).toEqual([
    ...[undefined, 'sealed 1', undefined, 'sealed 2', undefined, 'sealed 3'],
  ]);
  expect(events.at(-1)).toMatchObject({ response: { output: joinedOutput(events) } });
});

test('calls are logged with their round, results in order of arrival', () => {
  const round = makeRound(1, 'Let me look.', [{ name: 'a' }, { name: 'b' }]);
  const turn = completed({ rounds: [round, { ...makeRound(2, null) }] });
  const events = [...responseEvents(turn, { after: -1, orderOf: () => [1, 0] })];

  const ofCalls = events.filter(({ type, output_index: index }) => type.includes('mcp_call') || Number(index) > 0);
  expect(ofCalls.map(({ type, output_index: index }) => [index, type.slice(9)]).slice(0, 12)).toEqual([
    [1, 'output_item.added'],
    [1, 'mcp_call_arguments.delta'],
    [1, 'mcp_call_arguments.done'],
    [1, 'mcp_call.in_progress'],
    [2, 'output_item.added'],
    [2, 'mcp_call_arguments.delta'],
    [2, 'mcp_call_arguments.done'],
    [2, 'mcp_call.in_progress'],
    [2, 'mcp_call.completed'],
    [2, 'output_item.done'],
    [1, 'mcp_call.completed'],
    [1, 'output_item.done'],
  ]);
  expect(joinedOutput(events)).toEqual(presentResponse(turn).output);
});

test('the log after each number has exactly the rest, a cut text as one delta', () => {
  const rounds = [makeRound(1, 'One 🐢 two', [{}]), answer({ number: 2, reasoning: 'Thinking 🐢🐢', draft: 1 })];
  const turn = completed({ rounds, output: 'Done 🐢.' });
  const all = eventsOf(turn);

  for (const { sequence_number: number } of everyUnit(all)) {
    const rest = eventsOf(turn, number);
    expect(everyUnit(rest)).toEqual(everyUnit(all).filter((unit) => unit.sequence_number > number));
    expect(new Set(rest.map(({ sequence_number }) => sequence_number)).size).toBe(rest.length);
  }
});

/** Returns the events with each delta cut into characters, each with the number of its last unit. */
function everyUnit(events: NumberedEvent[]) {
  return events.flatMap((event) => {
    if (!/_text\.delta|refusal\.delta/.test(event.type)) return [event];
    const delta = String(event.delta);
    let number = event.sequence_number - delta.length;
    return [...delta].map((character) => {
      number += character.length;
      return { ...event, delta: character, sequence_number: number };
    });
  });
}

test('each draft begins 2²⁴ above the draft before it, and supersedes it', () => {
  const rounds = [{ ...makeRound(1, 'Hi', [{}]), draft: 2 }, answer({ number: 2 })];
  const turn = completed({ rounds });
  const numbers = eventsOf(turn).map(({ sequence_number }) => sequence_number);

  expect(numbers.slice(0, 3)).toEqual([0, 2, 3 + 2 * DRAFT_SIZE]);
  expect(numbers.at(-1)! - 2 * DRAFT_SIZE).toBeLessThan(60);
  expect(
    [2, 3, 3 + DRAFT_SIZE, 2 + 2 * DRAFT_SIZE, 3 + 2 * DRAFT_SIZE].map((after) => isSuperseded(turn, after)),
  ).toEqual([...[false, true, true, true, false]]);
});

test('a running round supersedes a draft when no run can stream it', () => {
  const running = (draft: number, leased: boolean) => makeResponse({ status: 'in_progress', work: { draft, leased } });
  const inDraft = (draft: number) => 5 + draft * DRAFT_SIZE;

  expect(isSuperseded(running(0, false), inDraft(0))).toBe(false);
  expect(isSuperseded(running(1, true), inDraft(0))).toBe(false);
  expect(isSuperseded(running(1, false), inDraft(0))).toBe(true);
  expect(isSuperseded(running(2, true), inDraft(0))).toBe(true);
  expect(isSuperseded(running(2, true), inDraft(1))).toBe(false);
});

const silent = { effort: null, summary: null };

test.each([
  ['shows the thoughts of the model', askedResponse],
  ['contains state', { ...askedForState, reasoning: silent }],
  ['does both', askedForState],
  ['does neither', { ...askedResponse, reasoning: silent }],
])('the log of a running round of a response that %s is a prefix of the final log', (_, asked) => {
  const refused = { refusalFrom: 5, finishReason: 'refusal' as const };
  const round = answer({ reasoning: 'First 🐢', ...refused });
  const ending = { status: 'incomplete' as const, incompleteReason: 'content_filter' as const, output: 'Text No' };
  const sealed = asked.include.length > 0 ? { sealed: 'sealed' } : {};
  const turn = makeResponse({ ...ending, rounds: [{ ...round, ...sealed }] }, asked);
  const beginning = readSection(turn, LOG_START, () => [])!;
  const whole = readSection(turn, beginning.next, () => [])!.pieces;
  const [reasoning, text] = [round.reasoning!, turn.output!];

  for (let length = 1; length <= reasoning.length + text.length; length += 1) {
    const said = text.slice(0, Math.max(0, length - reasoning.length));
    const running = {
      ...{ round: 1, reasoning: reasoning.slice(0, length), text: said },
      reasoningLength: said ? reasoning.length : null,
      refusalFrom: said.length > 5 ? 5 : null,
      hosted: [],
    };
    const pieces = runningPieces(turn, running, 0);
    const units = pieces.reduce((sum, piece) => sum + (piece.kind === 'text' ? piece.text.length : 1), 0);
    expect(comparePieces(whole, { pieces, units })).toBe('same');
  }
});

test.each([
  ['completed', 'completed', {}],
  ['failed', 'failed', { error: { type: 'internal_error', code: 'internal', message: 'No.', retryable: true } }],
  ['incomplete', 'incomplete', { incompleteReason: 'max_rounds' }],
  ['cancelled', 'incomplete', {}],
] as const)('a turn that is %s ends its stream with response.%s', (status, type, own) => {
  const turn = makeResponse({ status, output: 'Hello', rounds: [answer()], ...own } as Partial<Turn>);

  expect(eventsOf(turn).at(-1)).toMatchObject({ type: `response.${type}`, response: { status } });
});

test('the end of a turn follows all events of an interrupted round', () => {
  const lastOf = (own: Parameters<typeof makeResponse>[0]) => eventsOf(makeResponse(own)).at(-1)!.sequence_number;

  expect(lastOf({ status: 'cancelled', work: { draft: 0 } })).toBe(3);
  expect(lastOf({ status: 'cancelled', work: { draft: 1 } })).toBe(2 + DRAFT_SIZE);
  expect(lastOf({ status: 'cancelled', work: { draft: 3 } })).toBe(2 + 3 * DRAFT_SIZE);
  expect(lastOf({ status: 'cancelled', startedAt: null })).toBe(3);
});
