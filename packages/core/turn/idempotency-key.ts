import type { ToolCall } from './turn.ts';

/** What a call is known by to its tool; the same however often it is tried (R13). */
export function idempotencyKey(turnId: string, { round, id }: Pick<ToolCall, 'round' | 'id'>): string {
  return `${turnId}.${round}.${id}`;
}
