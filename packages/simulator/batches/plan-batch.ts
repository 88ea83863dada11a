import { randomUUID } from 'node:crypto';
import type { ChatAttempt } from '../chat-request.ts';
import { currentTurn, roundsPlayed } from '../current-turn.ts';
import { errorOf, type Reading, type Stamp } from '../render-response.ts';
import { batchScriptOf, replyTo } from '../reply-to.ts';
import type { ScriptedBatch } from '../script.ts';
import type { BatchStore } from './batch-store.ts';
import type { Outcome } from './kept-batch.ts';

/** A request of a batch: its id, and the body as a single request has it. */
export type BatchLine = { id: string; sent: unknown };

/** How a batch runs: the ends of its requests, its delays, and its faults. */
export type BatchPlan = {
  outcomes: Outcome[];
  delayMs: number;
  listMs: number;
  isRefused: boolean;
  losesAnswer: boolean;
  isCut: boolean;
};

type ReadLine = (sent: unknown, stamp: Stamp) => Reading;

/** Decides how a batch runs, by the scripts of its requests, and counts an attempt of each request. */
export function planBatch(lines: BatchLine[], read: ReadLine, { attempts, limits }: BatchStore): BatchPlan {
  const planned = lines.map((line) => planLine(line, read, attempts.of(line.sent)));
  const scripts = planned.map(({ script }) => script);
  const isRefused = scripts.some((script) => script?.refuse === true);
  attempts.count(
    lines.map(({ sent }) => sent),
    !isRefused,
  );
  return {
    outcomes: planned.map(({ outcome }) => outcome),
    delayMs: longest(scripts.map((script) => delayOf(script, limits.delayMs))),
    listMs: longest(scripts.map((script) => script?.list_ms ?? 0)),
    isRefused,
    losesAnswer: scripts.some((script) => script?.lose_answer === true),
    isCut: scripts.some((script) => script?.cut_results === true),
  };
}

type PlannedLine = { outcome: Outcome; script: ScriptedBatch | null };

function planLine({ id, sent }: BatchLine, read: ReadLine, earlier: { creates: number; runs: number }): PlannedLine {
  const reading = read(sent, { id: randomUUID(), createdAt: Math.floor(Date.now() / 1000) });
  if (reading.kind === 'unreadable') {
    const { status, body } = reading.refusal;
    return { outcome: { id, kind: 'answered', status, body }, script: null };
  }
  const body = { ...reading.body, service_tier: 'batch' };
  const round = roundsPlayed(currentTurn(body.messages), 'native') + 1;
  const attempt = { body, bodyLength: JSON.stringify(sent).length, round };
  const script = batchScriptOf({ ...attempt, earlierAttempts: earlier.creates });
  const end = script?.end === 'expired' || script?.end === 'missing' ? script.end : null;
  const outcome: Outcome = end
    ? { id, kind: end }
    : { id, ...answerOf(reading, { ...attempt, earlierAttempts: earlier.runs }) };
  return { outcome, script };
}

type Answer = { kind: 'answered'; status: number; body: unknown } | { kind: 'expired' };

/** Returns the answer to one request. Faults of a connection do not affect a batch, unless no answer arrives. */
function answerOf({ refusal, renderer }: Extract<Reading, { kind: 'request' }>, attempt: ChatAttempt): Answer {
  const simulated = refusal ?? replyTo(attempt);
  switch (simulated.kind) {
    case 'reply':
      return { kind: 'answered', status: 200, body: renderer.whole(simulated.reply) };
    case 'error':
      return { kind: 'answered', status: simulated.status, body: errorOf(simulated, renderer) };
    case 'silence':
    case 'hang-up':
      return { kind: 'expired' };
  }
}

function delayOf(script: ScriptedBatch | null, usualMs: number): number {
  return script?.end === 'never' ? Number.POSITIVE_INFINITY : (script?.delay_ms ?? usualMs);
}

function longest(delays: number[]): number {
  return delays.reduce((most, delay) => Math.max(most, delay), 0);
}
