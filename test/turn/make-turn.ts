import type { Round, ToolCall, Turn, Work } from '#core/turn/turn.ts';
import { plainConfig } from '#test/harness/plain-config.ts';

const NOW = '2026-11-20T10:00:00.000Z';

const work: Work = {
  step: 'r1',
  model: plainConfig.model,
  generation: 0,
  atHead: true,
  delayed: false,
  leaseOwner: null,
  leased: false,
  uncontended: true,
  overdue: false,
  deadlineInMs: null,
  starts: 0,
  attempts: 0,
  draft: 0,
  waitedMs: 0,
  tierWait: null,
  background: null,
  rateLimited: false,
  retryAt: null,
  early: false,
  slot: null,
  quotaFull: false,
  hasEndpoints: false,
  waitingSince: NOW,
};

/** Returns a turn in progress. A test gives only the fields it needs. */
export function makeTurn(
  own: Partial<Omit<Turn, 'work' | 'config'>> & { work?: Partial<Work>; limits?: object } = {},
): Turn {
  const { work: ownWork, limits, ...rest } = own;
  return {
    id: 'turn_01m7w82gkpe02bxqqn57m42ygc',
    project: 'default',
    conversationId: 'conv_01m7w82gjme37vd9y3gxtqsx84',
    position: 1,
    stored: true,
    hidden: false,
    status: 'in_progress',
    config: { ...plainConfig, limits: { ...plainConfig.limits, ...limits } },
    input: [{ role: 'user', content: 'Hi' }],
    priority: 0,
    metadata: {},
    joined: [],
    inputsAtStart: 0,
    pendingInput: [],
    adopted: [],
    compactions: [],
    startAt: null,
    scheduleId: null,
    continues: null,
    rounds: [],
    output: null,
    error: null,
    incompleteReason: null,
    warnings: [],
    failedRequests: 0,
    lastEvent: 2,
    createdAt: NOW,
    startedAt: NOW,
    completedAt: null,
    work: { ...work, ...ownWork },
    ...rest,
  };
}

export function makeRound(number: number, text: string | null, calls: Partial<ToolCall>[] = []): Round {
  return {
    number,
    model: plainConfig.model,
    text,
    finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
    finishReasonRaw: null,
    usage: null,
    serviceTier: null,
    opaque: null,
    reasoning: null,
    refusalFrom: null,
    hosted: null,
    violations: null,
    draft: 0,
    requests: 1,
    attempts: 1,
    inputsSent: 0,
    input: [],
    startedAt: NOW,
    completedAt: NOW,
    calls: calls.map((call, index) => makeCall({ round: number, index, id: `call_${number}_${index}`, ...call })),
  };
}

function makeCall(own: Partial<ToolCall> = {}): ToolCall {
  return {
    round: 1,
    index: 0,
    id: 'call_1',
    name: 'weather_lookup',
    arguments: '{}',
    effect: 'none',
    waitsFor: null,
    expiresAt: null,
    expired: false,
    approval: null,
    claimedBy: null,
    claimedAt: null,
    completedAt: null,
    result: {
      status: 'success',
      content: 'ok',
      error: null,
      truncated: false,
      cached: false,
      duration_ms: 1,
      attempts: 1,
    },
    ...own,
  };
}
