import type { Flaw } from '../reply.ts';
import { renderStep } from '../responses/item-steps.ts';
import { closingOf } from '../responses/render-response-stream.ts';
import { type ClientConnection, sendChunks } from '../send-response.ts';
import type { LoggedEvent } from './event-log.ts';
import type { KeptResponse } from './kept-response.ts';

/** The events `created`, `queued` and `in_progress`, which a flaw never replaces. */
const OPENING_EVENTS = 3;
const TERMINAL = /^response\.(completed|incomplete|failed|cancelled)$/;

/**
 * Sends the events after a number to a client, and ends its stream with the response. A flaw ends only this stream.
 */
export function followEvents(
  kept: KeptResponse,
  { after, flaw }: { after: number; flaw: Flaw | null },
  client: ClientConnection,
): void {
  let left = flaw && 'after_chars' in flaw ? (flaw.after_chars ?? 0) : Number.POSITIVE_INFINITY;
  let isOver = false;
  const stop = kept.log.follow(after, {
    receive(events) {
      if (isOver) return;
      const broken = flaw ? events.findIndex(isBroken) : -1;
      const whole = (broken < 0 ? events : events.slice(0, broken)).filter(({ type }) => isSent(type, flaw));
      if (whole.length) client.write(whole.map(({ text }) => text).join(''));
      if (broken < 0) return;
      isOver = true;
      void sendChunks({ ...tailOf(kept, flaw, events[broken]?.number ?? 0), paceMs: 0 }, client);
    },
    end(how) {
      if (isOver) return;
      if (how === 'lost') client.cut();
      else client.end('');
    },
  });
  void client.aborted.then(stop);

  /** Returns whether the flaw replaces an event. Counts the characters before it. */
  function isBroken({ number, type, chars }: LoggedEvent): boolean {
    const isTerminal = TERMINAL.test(type);
    if (isTerminal ? flaw?.kind !== 'no_done' : number >= OPENING_EVENTS && left <= 0) return true;
    left -= chars;
    return false;
  }
}

/** Returns whether a stream has this kind of event. Some servers send only deltas and the whole response. */
function isSent(type: string, flaw: Flaw | null): boolean {
  return flaw?.kind !== 'no_done' || !type.endsWith('.done');
}

function tailOf({ state }: KeptResponse, flaw: Flaw | null, number: number) {
  const { steps = [], broken = [], ending = 'end' } = closingOf(flaw, state);
  const chunks = steps.map((step, index) => renderStep(step, number + index));
  return { chunks: [...chunks, ...broken], ending };
}
