import type { LatestDraft } from '#core/turn/responses/events.ts';
import type { RunningReply } from '#core/turn/responses/running-round.ts';
import { hostedCallsOf } from './hosted-calls.ts';
import type { WatchedTurn } from './watched-turn.ts';

/**
 * Returns the running round as far as this process has received it. A stream passes the latest draft of the turn that
 * its request read. A draft that was given up before the request is not sent, although its text may still be in
 * memory.
 */
export function runningRound(
  { progress, liveBuffer }: WatchedTurn,
  current: LatestDraft | null,
): RunningReply | undefined {
  const running = progress && liveBuffer.running(progress);
  if (!running) return undefined;
  const { round, attempt, draft, texts, reasoningLength, refusalFrom, hosted } = running;
  if (current && round === current.round && draft < current.draft) return undefined;
  const [reasoning, text] = [texts['reasoning.delta'].text, texts['output_text.delta'].text];
  return { round, attempt, draft, reasoning, reasoningLength, text, refusalFrom, hosted: hostedCallsOf(hosted) };
}
