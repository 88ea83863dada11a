import type { History, MadeTurn, TurnRow } from './history.ts';
import type { TurnPlan } from './load/turn-plan.ts';
import { DYING_MODEL } from './load/turn-request.ts';

const START = 1_800_000_000_000;

/**
 * Returns a small run without a broken promise. Plan 1 is streamed, calls a tool of each kind and has a webhook that
 * is refused at its first attempt. Plan 2 is polled, has a limit, and its first model dies. A worker was killed while
 * both were in progress.
 */
export function soundHistory(): History {
  return {
    plans: [
      plan(1, { hasWebhook: true }),
      plan(2, { shape: 'limited', followBy: 'poll', endings: ['incomplete'], request: { model: DYING_MODEL } }),
    ],
    faults: [
      {
        number: 1,
        kind: 'worker-kill',
        from: START + 300,
        endedAt: START + 310,
        scope: 'worker-1',
        evidence: 'it is dead',
      },
    ],
    answers: [
      { at: START, api: 'a', route: 'POST /v1/turns', status: 202, hasRetryAfter: false },
      { at: START, api: 'a', route: 'GET /v1/turns/:id', status: 503, hasRetryAfter: true },
    ],
    acks: [
      { at: START, plan: 1, turnId: 'turn_1' },
      { at: START, plan: 2, turnId: 'turn_2' },
    ],
    seen: new Map([
      ['turn_1', { plan: 1, numbers: [1, 2, 3, 4, 5, 6, 7], status: 'completed', lastEvent: 7 }],
      ['turn_2', { plan: 2, numbers: [], status: 'incomplete', lastEvent: 6 }],
    ]),
    responses: [{ id: 'resp_1', seen: '[]', stored: '[]' }],
    gone: [{ plan: 3.25, turnId: 'turn_gone' }],
    modelCalls: [
      { at: START + 100, turnId: 'turn_1', round: 1, generation: 0, model: 'chaos', tier: null, messages: ['a'] },
      { at: START + 400, turnId: 'turn_1', round: 1, generation: 1, model: 'chaos', tier: null, messages: ['a'] },
      {
        at: START + 900,
        turnId: 'turn_1',
        round: 2,
        generation: 0,
        model: 'chaos',
        tier: null,
        messages: ['a', 'b', 'c'],
      },
    ],
    responseCalls: [],
    background: {
      committed: [{ id: 'resp_1', turnId: 'turn_1', round: 1, committedAt: START + 110, droppedAt: START + 390 }],
      keptIds: ['resp_unknown'],
    },
    batches: {
      sent: [
        { batchId: 'batch_1', api: 'openai', id: 'req_1', messages: ['a'] },
        { batchId: 'batch_2', api: 'openai', id: 'req_2', messages: ['a'] },
      ],
      requests: [
        { id: 'req_1', turnId: 'turn_batch', round: 1, fate: 'dropped', goneIn: '701' },
        { id: 'req_2', turnId: 'turn_batch', round: 1, fate: 'used', goneIn: '702' },
        { id: 'req_3', turnId: 'turn_batch', round: 2, fate: 'removed', goneIn: '703' },
      ],
      rounds: [{ turnId: 'turn_batch', number: 1, tokens: 40 }],
      usage: [
        { rounds: 1, tokens: 40, recordedIn: '702' },
        { rounds: 0, tokens: 30, recordedIn: '701' },
      ],
    },
    toolCalls: [
      { at: START + 500, tool: 'book', key: 'turn_1.1.call_1', mark: '1.1.0', args: '{"mark":"1.1.0"}' },
      { at: START + 500, tool: 'note', key: 'turn_1.1.call_2', mark: '1.1.1', args: '{"mark":"1.1.1"}' },
      { at: START + 600, tool: 'note', key: 'turn_1.1.call_2', mark: '1.1.1', args: '{"mark":"1.1.1"}' },
      { at: START + 500, tool: 'look', key: 'turn_2.1.call_1', mark: '2.1.0', args: '{"mark":"2.1.0"}' },
    ],
    webhooks: [
      { at: START + 1_000, id: 'evt_7', type: 'turn.completed', turnId: 'turn_1', signature: 'right', answered: 500 },
      { at: START + 6_000, id: 'evt_7', type: 'turn.completed', turnId: 'turn_1', signature: 'right', answered: 204 },
    ],
    rows: {
      turns: [
        row('turn_1', { plan: 1, status: 'completed', lastEvent: 7 }),
        row('turn_2', { plan: 2, status: 'incomplete', lastEvent: 6 }),
      ],
      rounds: [
        { turnId: 'turn_1', number: 1, model: 'openai/chaos', attempts: 2 },
        { turnId: 'turn_1', number: 2, model: 'openai/chaos', attempts: 1 },
        { turnId: 'turn_2', number: 1, model: 'openai/chaos', attempts: 1 },
      ],
      calls: [
        call('turn_1', { index: 0, name: 'book', effect: 'at_most_once', mark: '1.1.0' }),
        call('turn_1', { index: 1, name: 'note', effect: 'idempotent', mark: '1.1.1' }),
        call('turn_2', { index: 0, name: 'look', effect: 'none', mark: '2.1.0' }),
      ],
      events: [
        ...eventsOf(
          'turn_1',
          ['round.completed', 'tool_call.completed', 'tool_call.completed', 'round.completed'],
          'completed',
        ),
        ...eventsOf('turn_2', ['model.changed', 'round.completed', 'tool_call.completed'], 'incomplete'),
        { turnId: 'turn_batch', number: 3, type: 'step.retrying', round: 1, at: START },
      ],
      answers: [],
      strayWork: [],
      deliveries: [
        { id: 'dlv_1', turnId: 'turn_1', eventId: 'evt_7', status: 'delivered', attempts: 2, lastStatusCode: 204 },
      ],
    },
    agents: {
      accepted: [{ id: 'turn_helped', version: 2 }],
      turns: [{ id: 'turn_helped', status: 'completed', version: 2, instructions: 'You are version 2.' }],
      versions: [1, 2].map((version) => ({ version, instructions: `You are version ${version}.` })),
      modelCalls: [],
    },
    talk: {
      said: [0, 1].map((number) => ({ client: 0, number, text: `says ${number}.`, turnId: 'turn_talk' })),
      turns: [{ id: 'turn_talk', status: 'completed', said: ['says 0.', 'says 1.'], inputs: 1, sent: 1 }],
    },
    forks: {
      families: [
        {
          ...{ number: 1, origin: 'turn_3', isRemoved: true },
          forks: [made('fork', 4), made('rerun', 6)],
          reads: [
            { path: '/v1/turns/turn_3', status: 404, text: '{}' },
            { path: '/v1/conversations/conv_4/messages', status: 200, text: '[]' },
          ],
        },
      ],
      modelCalls: [
        sent('turn_3', 1, ['a']),
        sent('turn_3', 2, ['a', 'b']),
        sent('turn_4', 1, ['a', 'b', 'c']),
        sent('turn_5', 1, ['a', 'b', 'c', 'd']),
        sent('turn_6', 1, ['a']),
      ],
      toolCalls: [{ at: START, tool: 'book', key: 'turn_3.1.call_1', mark: 'fork-1.origin.1.book', args: '{}' }],
      answers: [{ at: START, api: 'a', route: 'GET /v1/turns/:id', status: 404, hasRetryAfter: false }],
      rows: [],
    },
    starts: [{ at: START + 100, worker: 'worker-1', turnId: 'turn_1' }],
    ownEnds: [{ part: 'worker-2', at: START, lastWords: '{"msg":"poison taken"}' }],
    latest: { lateMs: 400, longestLeaseMs: 5_999, mostFlooding: 8 },
    driverLag: { p99: 12, max: 40 },
    hurriedFrom: START + 60_000,
  };
}

function plan(number: number, more: Partial<TurnPlan>): TurnPlan {
  return {
    ...{ number, atMs: 0, shape: 'plain', trouble: null, faultedBy: null, followBy: 'stream', hasWebhook: false },
    ...{ request: {}, endings: ['completed'], output: `Turn ${number}.`, scriptedMs: 500, cancelAfterMs: 0, ...more },
  };
}

function row(id: string, { plan, ...more }: Partial<TurnRow> & { plan: number }): TurnRow {
  return {
    ...{
      id,
      plan,
      status: 'completed',
      step: 'r2',
      leaseOwner: null,
      hasWork: false,
      output: `Turn ${plan}.`,
      errorCode: null,
    },
    ...{ lastEvent: 7, createdAt: START, startedAt: START + 100, completedAt: START + 1_000, ...more },
  };
}

function call(turnId: string, more: { index: number; name: string; effect: string; mark: string }) {
  return { turnId, round: 1, id: `call_${more.index + 1}`, outcome: 'success', ...more };
}

/** Returns a fork or rerun of turn 3, with the turn after it. */
function made(kind: MadeTurn['kind'], number: number): MadeTurn {
  const next = { id: `turn_${number + 1}`, status: 'completed' };
  const afterRound = kind === 'fork' ? 1 : null;
  return { kind, id: `turn_${number}`, conversationId: `conv_${number}`, afterRound, status: 'completed', next };
}

function sent(turnId: string, round: number, messages: string[]) {
  return { at: START, turnId, round, generation: 0, model: 'forks', tier: null, messages };
}

function eventsOf(turnId: string, types: string[], status: string) {
  const all = ['turn.queued', 'turn.started', ...types, `turn.${status}`];
  return all.map((type, index) => {
    const round = all.slice(0, index + 1).filter((one) => one === type).length;
    const ofRound = type === 'round.completed' ? round : null;
    return { turnId, number: index + 1, type, round: ofRound, at: START + 200 * index };
  });
}
