import type { AskedCall } from './message.ts';
import type { Reply } from './reply.ts';
import type { ToolEffect } from './tool.ts';
import type { Round, ToolCall, Turn, WaitsFor } from './turn.ts';

/** A reply that was just committed with the calls it asks for. `startedAt` is in milliseconds since 1970. */
export type SavedRound = {
  number: number;
  reply: Reply;
  attempts: number;
  startedAt: number;
  warnings: string[];
  calls: (AskedCall & { effect: ToolEffect; waitsFor: WaitsFor | null })[];
};

/**
 * The turn that a committed round makes owe its batch, as it would be read now: nobody holds it, nothing was tried yet.
 * Null where a call waits for somebody outside: their answers may already be there (R3).
 */
export function afterRound(turn: Turn, saved: SavedRound): Turn | null {
  if (saved.calls.some(({ waitsFor }) => waitsFor !== null)) return null;
  const round = roundOf(saved, new Date().toISOString());
  const work = { ...turn.work, ...FRESH, step: `b${saved.number}` };
  return { ...turn, status: 'in_progress', warnings: saved.warnings, rounds: [...turn.rounds, round], work };
}

/** What each commit that moves the step leaves behind: a step that nobody is on, and that was rung for once. */
export const FRESH = {
  ...{ ring: 0, heldBy: null, held: false, quiet: true, starts: 0, attempts: 0 },
  ...{ rateLimited: false, retryAt: null, early: false },
} as const;

function roundOf({ number, reply, attempts, startedAt, calls }: SavedRound, completedAt: string): Round {
  const { text, finishReason, finishReasonRaw, usage, opaque = null, requests = 1 } = reply;
  return {
    ...{ number, text, finishReason, finishReasonRaw, usage, opaque, requests, attempts },
    startedAt: new Date(startedAt).toISOString(),
    completedAt,
    calls: calls.map((call, index) => openCall(call, { round: number, index })),
  };
}

function openCall(
  { id, name, arguments: args, effect }: SavedRound['calls'][number],
  place: { round: number; index: number },
): ToolCall {
  const unanswered = { expiresAt: null, expired: false, approval: null, claimedBy: null, claimedAt: null };
  return {
    ...place,
    id,
    name,
    arguments: args,
    effect,
    waitsFor: null,
    ...unanswered,
    result: null,
    completedAt: null,
  };
}
