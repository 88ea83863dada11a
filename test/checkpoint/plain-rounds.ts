import type { SomeRound } from './arbitrary-turn.ts';
import type { LastAnswer } from './commits-in-form.ts';

const SAID = { text: 'So.', calls: [], finishReasonRaw: null, usage: null, opaque: null };
const RESULT = { status: 'success' as const, content: 'Sunny', error: null };
const MADE = { truncated: false, cached: false, duration_ms: 1, attempts: 1 };

export const CALLING: SomeRound = {
  ...{ attempts: 1, startedAt: Date.UTC(2026, 5), warnings: [], beforeRound: null, beforeBatch: null },
  ...{ goesOn: 'as read', nextRuns: { batch: null, round: null }, reply: { ...SAID, finishReason: 'tool_calls' } },
  calls: [
    { name: 'look', arguments: '{}', effect: 'none', waitsFor: null, result: { ...RESULT, ...MADE }, isEarly: false },
  ],
};

/** The answer after `CALLING`. */
export const ANSWER: LastAnswer = {
  ...{ status: 'completed', joins: false, isAnswer: true },
  round: { ...CALLING, calls: [], reply: { ...SAID, finishReason: 'stop' } },
};
