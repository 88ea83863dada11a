import { randomBytes } from 'node:crypto';
import type { AskedCall } from './message.ts';
import type { Round } from './turn.ts';

/** Ids every wire takes: a missing, malformed or already used one is replaced by a fresh `call_…` (contract: Tool). */
export function nameCalls(calls: AskedCall[], rounds: Round[]): AskedCall[] {
  const used = new Set(rounds.flatMap((round) => round.calls.map((call) => call.id)));
  return calls.map((call) => {
    const id = /^[a-zA-Z0-9_-]{1,64}$/.test(call.id) && !used.has(call.id) ? call.id : freshCallId();
    used.add(id);
    return { ...call, id };
  });
}

function freshCallId(): string {
  return `call_${randomBytes(12).toString('hex')}`;
}
