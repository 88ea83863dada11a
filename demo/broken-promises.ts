import type { Turn } from 'pawl/client';
import type { Count, Counts } from './count.ts';
import { KILLED_ROUND } from './travel-request.ts';

/** What was not as Pawl promises, a sentence each; empty when all was. */
export function brokenPromises(turn: Turn, { modelCalls, again, tools, events, webhooks }: Counts): string[] {
  const failed = turn.rounds.flatMap(({ results }) => results).filter(({ status }) => status !== 'success');
  return [
    turn.status !== 'completed' && `The turn is ${turn.status}${turn.error ? `: ${turn.error.message}` : ''}.`,
    !turn.output && 'The turn has no answer.',
    failed.length > 0 && `${failed.length} tool calls have no good result.`,
    !again.includes(KILLED_ROUND) && `Round ${KILLED_ROUND} was not asked again, although its worker was killed in it.`,
    modelCalls.times !== modelCalls.needed + again.length && 'A round was never asked for, and yet is stored.',
    ...tools
      .filter(isOff)
      .map(({ what, needed, times }) => `${what} was called ${needed} times and ran ${times} times.`),
    (isOff(events) || !events.isGapless) &&
      `The stream told ${events.times} events of ${events.needed}, or not in order.`,
    isOff(webhooks) && `${webhooks.times} webhooks with a good signature have come instead of one.`,
  ].filter((sentence) => sentence !== false);
}

function isOff({ needed, times }: Count): boolean {
  return needed !== times;
}
