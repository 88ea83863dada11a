import { expect, test } from 'vitest';
import type { TurnTool } from '#core/turn/request/tool.ts';
import type { RunningReply } from '#core/turn/responses/running-round.ts';
import { errorResult, HANDED_OVER } from '#core/turn/tool-result.ts';
import type { Approval, Round, ToolCall, Turn } from '#core/turn/turn.ts';
import { makeUiSender } from '#core/turn/ui-message/ui-sender.ts';
import { makeRound, makeTurn } from '../make-turn.ts';
import { askedResponse } from '../responses/make-response.ts';

const chunksOf = (turn: Turn) => [...makeUiSender().send(turn, undefined)];
const typesOf = (turn: Turn) => chunksOf(turn).map(({ type }) => type);
const completed = (rounds: Round[], own: Partial<Turn> = {}) => makeTurn({ status: 'completed', rounds, ...own });
const running = (own: Partial<RunningReply>): RunningReply => ({
  ...{ round: 1, attempt: 1, draft: 0, reasoning: '', reasoningLength: null, text: '', refusalFrom: null },
  hosted: [],
  ...own,
});
const withTool = (turn: Turn, tool: Partial<TurnTool>): Turn => {
  return { ...turn, config: { ...turn.config, tools: [{ name: 'weather_lookup', ...tool } as TurnTool] } };
};
const decided = (decision: Approval['decision'], reason: string | null): Approval => {
  return { decision, reason, by: null, at: '2026-11-20T10:00:00.000Z' };
};

test('an answer is one step of reasoning and text within its message', () => {
  const turn = completed([{ ...makeRound(1, null), reasoning: 'Hm' }], { output: 'Hello' });

  expect(chunksOf(turn)).toEqual([
    {
      ...{ type: 'start', messageId: turn.id },
      messageMetadata: { turn_id: turn.id, conversation_id: turn.conversationId },
    },
    { type: 'start-step' },
    { type: 'reasoning-start', id: 'r1' },
    { type: 'reasoning-delta', id: 'r1', delta: 'Hm' },
    { type: 'reasoning-end', id: 'r1' },
    { type: 'text-start', id: 't1' },
    { type: 'text-delta', id: 't1', delta: 'Hello' },
    { type: 'text-end', id: 't1' },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'stop' },
  ]);
});

test('all calls of a step are streamed before any result', () => {
  const failed = errorResult({ category: 'network_error', message: 'No route.', details: {} });
  const calls = [{ arguments: '{"city":"Rome"}' }, { result: failed, arguments: 'no JSON' }];
  const turn = completed([makeRound(1, null, calls), makeRound(2, null)], { output: 'Sunny.' });

  expect(chunksOf(turn).slice(2, 7)).toEqual([
    {
      ...{ type: 'tool-input-available', toolCallId: 'call_1_0', toolName: 'weather_lookup' },
      ...{ input: { city: 'Rome' }, dynamic: true, providerExecuted: true },
    },
    expect.objectContaining({ type: 'tool-input-available', toolCallId: 'call_1_1', input: 'no JSON' }),
    { type: 'tool-output-available', toolCallId: 'call_1_0', output: 'ok' },
    { type: 'tool-output-error', toolCallId: 'call_1_1', errorText: expect.stringContaining('No route.') },
    { type: 'finish-step' },
  ]);
});

test.each<[string, Partial<Turn>, object]>([
  ['a cut answer', { status: 'incomplete', incompleteReason: 'max_output_tokens' }, { finishReason: 'length' }],
  [
    'a filtered answer',
    { status: 'incomplete', incompleteReason: 'content_filter' },
    { finishReason: 'content-filter' },
  ],
  ['a limit', { status: 'incomplete', incompleteReason: 'max_rounds' }, { finishReason: 'other' }],
  ['a stop', { status: 'cancelled' }, { type: 'abort' }],
  [
    'a failure',
    {
      status: 'failed',
      error: { type: 'provider_error', code: 'provider_overloaded', message: 'Busy.', retryable: true },
    },
    { type: 'error', errorText: 'provider_overloaded: Busy.' },
  ],
])('the last chunk shows the end of the turn: %s', (_, own, last) => {
  expect(chunksOf(makeTurn({ rounds: [makeRound(1, 'Hello')], ...own })).at(-1)).toMatchObject(last);
});

test('a call that waits for approval ends the message, and a new stream continues', () => {
  const waiting: Partial<ToolCall> = { waitsFor: 'approval', result: null };
  const allowed = { ...waiting, approval: decided('allow', null) };
  const denied = {
    ...waiting,
    approval: decided('deny', 'Too far.'),
    result: errorResult({ category: 'permission_denied', message: 'Denied.', details: {} }),
  };
  const stopped = makeTurn({ status: 'requires_action', rounds: [makeRound(1, null, [waiting, waiting])] });
  const goesOn = makeTurn({ rounds: [makeRound(1, null, [allowed, denied])] });
  const asked = [
    { type: 'tool-approval-request', approvalId: 'call_1_0', toolCallId: 'call_1_0' },
    { type: 'tool-approval-request', approvalId: 'call_1_1', toolCallId: 'call_1_1' },
  ];

  expect(chunksOf(stopped).slice(4)).toEqual([
    ...asked,
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'tool-calls' },
  ]);
  expect(chunksOf(goesOn).slice(4)).toEqual([
    ...[asked[0], { type: 'tool-approval-response', approvalId: 'call_1_0', approved: true }],
    ...[asked[1], { type: 'tool-approval-response', approvalId: 'call_1_1', approved: false, reason: 'Too far.' }],
    { type: 'tool-output-denied', toolCallId: 'call_1_1' },
  ]);
});

test('a call without a decision in time counts as denied', () => {
  const result = errorResult({ category: 'execution_timeout', message: 'Nobody answered.', details: {} });
  const round = makeRound(1, null, [{ waitsFor: 'approval', expired: true, result }]);

  expect(chunksOf(makeTurn({ rounds: [round] })).slice(4)).toEqual([
    { type: 'tool-approval-response', approvalId: 'call_1_0', approved: false, reason: 'Nobody answered.' },
    { type: 'tool-output-denied', toolCallId: 'call_1_0' },
    { type: 'finish-step' },
  ]);
});

test('handed-over calls end the message, calls of Pawl with an approval request', () => {
  const turn = completed([makeRound(1, null, [{ result: HANDED_OVER }])]);
  const own = withTool(turn, { handOver: { custom: false } });

  expect(chunksOf(own).slice(2)).toEqual([
    {
      ...{ type: 'tool-input-available', toolCallId: 'call_1_0', toolName: 'weather_lookup' },
      ...{ input: {}, dynamic: true },
    },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'tool-calls' },
  ]);
  expect(chunksOf(turn).slice(2, 4)).toMatchObject([
    { type: 'tool-input-available', providerExecuted: true },
    { type: 'tool-approval-request', approvalId: 'call_1_0', toolCallId: 'call_1_0' },
  ]);
});

test('a call that a client runs is not marked as executed by the provider', () => {
  const round = makeRound(1, null, [{ waitsFor: 'output', result: null }]);
  const turn = withTool(makeTurn({ status: 'requires_action', rounds: [round] }), { execution: { kind: 'client' } });

  expect(chunksOf(turn)[2]).not.toHaveProperty('providerExecuted');
  expect(typesOf(turn).slice(2)).toEqual(['tool-input-available', 'finish-step', 'finish']);
});

test('reasoning is streamed for native turns, and for responses that request it', () => {
  const turn = completed([{ ...makeRound(1, null), reasoning: 'Hm' }], { output: 'Hello' });
  const asking = (summary: 'auto' | null): Turn => {
    const response = { ...askedResponse, reasoning: { effort: null, summary } };
    return { ...turn, config: { ...turn.config, response } };
  };
  const seen = running({ reasoning: 'Hm', reasoningLength: 2, text: 'Hel' });
  const live = (of: Turn) =>
    [...makeUiSender().send({ ...of, status: 'in_progress', rounds: [] }, seen)].map(({ type }) => type);

  expect(typesOf(asking('auto'))).toContain('reasoning-delta');
  expect(typesOf(asking(null))).not.toContain('reasoning-delta');
  expect(live(asking('auto'))).toContain('reasoning-delta');
  expect(live(asking(null)).slice(1)).toEqual(['start-step', 'text-start', 'text-delta']);
});

test('a running text is streamed by whole characters, and ends at its commit', () => {
  const sender = makeUiSender();
  const turn = makeTurn();
  const send = (now: Turn, text?: string) =>
    [...sender.send(now, text === undefined ? undefined : running({ text }))].slice(-2);

  expect(send(turn, 'Hel')).toMatchObject([{ type: 'text-start' }, { delta: 'Hel' }]);
  expect(send(turn, 'Hello \ud83d')).toEqual([{ type: 'text-delta', id: 't1', delta: 'lo ' }]);
  expect(send(turn, 'Hello \ud83d')).toEqual([]);
  expect(send(turn, 'Hello 🐢')).toEqual([{ type: 'text-delta', id: 't1', delta: '🐢' }]);
  const last = [...sender.send(completed([makeRound(1, null)], { output: 'Hello 🐢.' }), undefined)];
  expect(last.map(({ type }) => type)).toEqual(['text-delta', 'text-end', 'finish-step', 'finish']);
  expect(sender.end()).toBe('whole');
});

test('text that arrives before its reasoning waits for the reasoning', () => {
  const sender = makeUiSender();
  const early = [...sender.send(makeTurn(), running({ reasoningLength: 2, text: 'Hello' }))];

  expect(early.map(({ type }) => type)).toEqual(['start']);
});

test('a repeated round streams no text until it passes the streamed text', () => {
  const sender = makeUiSender();
  const send = (own: Partial<RunningReply>) => [...sender.send(makeTurn(), running(own))];

  send({ text: 'One, two' });
  expect(send({ draft: 1, attempt: 2, text: 'One,' })).toEqual([]);
  expect(send({ draft: 1, attempt: 2, text: 'One, two, three' })).toEqual([
    { type: 'text-delta', id: 't1', delta: ', three' },
  ]);
});

test.each<[string, (turn: Turn) => [Turn, RunningReply | undefined]]>([
  ['runs again', (turn) => [turn, running({ draft: 1, attempt: 2, text: 'One, 2' })]],
  ['is committed', () => [completed([makeRound(1, null)], { output: 'Two' }), undefined]],
  ['is given up', () => [makeTurn({ status: 'incomplete', incompleteReason: 'deadline' }), undefined]],
])('a stream with outdated text ends with an error if its round %s', (_, next) => {
  const sender = makeUiSender();
  [...sender.send(makeTurn(), running({ text: 'One, two' }))];
  const received = [...sender.send(...next(makeTurn()))];

  expect(received).toEqual([{ type: 'error', errorText: expect.stringMatching(/^stream_superseded: /) }]);
  expect(sender.end()).toBe('superseded');
});

test('a message that ended for an approval does not continue in a slow reader', () => {
  const sender = makeUiSender();
  const waiting: Partial<ToolCall> = { waitsFor: 'approval', result: null };
  const stopped = makeTurn({ status: 'requires_action', rounds: [makeRound(1, null, [waiting])] });
  for (const { type } of sender.send(stopped, undefined)) if (type === 'finish-step') break;

  expect([...sender.send(completed([makeRound(1, null, [{}])]), undefined)]).toEqual([
    { type: 'finish', finishReason: 'tool-calls' },
  ]);
});

test('earlier approved calls are their own step, streamed on arrival', () => {
  const [call] = makeRound(0, null, [{ approval: decided('allow', null) }]).calls;
  const own = (adopted: ToolCall[], rest: Partial<Turn> = {}) => makeTurn({ adopted, ...rest });
  const sender = makeUiSender();
  const received = (turn: Turn) => [...sender.send(turn, undefined)].map(({ type }) => type);

  expect(received(own([{ ...call!, result: null }]))).toEqual([
    ...['start', 'start-step', 'tool-input-available', 'tool-approval-request', 'tool-approval-response'],
  ]);
  expect(received(own([call!]))).toEqual(['tool-output-available', 'finish-step']);
  const ended = own([call!], { status: 'completed', rounds: [makeRound(1, null)], output: 'Paid.' });
  expect(received(ended).slice(-2)).toEqual(['finish-step', 'finish']);
  expect(typesOf(ended).filter((type) => type === 'start-step')).toHaveLength(2);
  expect(typesOf(own([call!], { status: 'cancelled' })).slice(-3)).toEqual([
    ...['tool-output-available', 'finish-step', 'abort'],
  ]);
});
