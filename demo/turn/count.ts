import type { Turn } from 'pawl/client';
import type { ReceivedWebhook } from '#test/harness/servers/webhook-receiver.ts';
import type { Journal } from '../journal.ts';
import type { StepLog } from '../step-log.ts';
import { KILLED_ROUND } from './travel-request.ts';
import type { Seen } from './watch-turn.ts';

export type Count = { what: string; needed: number; times: number };

/** Counts from the sources: the workers' logs, the tools, the stream, and the webhook receiver. */
export type Counts = {
  modelCalls: Count;
  again: number[];
  tools: Count[];
  events: Count & { isGapless: boolean };
  webhooks: Count;
};

type Recorded = { seen: Seen; steps: StepLog; journal: Journal; webhooks: ReceivedWebhook[] };

/** Compares the needs of the stored turn with the recorded events. */
export function count({ seen, steps, journal, webhooks }: Recorded): Counts {
  const { turn, eventNumbers } = seen;
  const accepted = webhooks.filter(({ signature }) => signature === 'right');
  const rounds = steps
    .all()
    .filter(({ kind }) => kind === 'round')
    .map(({ round }) => round);
  const needed = Map.groupBy(
    turn.rounds.flatMap((round) => round.tool_calls),
    ({ name }) => name,
  );
  const ran = Map.groupBy(journal.read(), ({ tool }) => tool);
  const names = [...new Set([...needed.keys(), ...ran.keys()])];
  return {
    modelCalls: { what: 'model calls', needed: turn.rounds.length, times: rounds.length },
    again: rounds.filter((round, index) => rounds.indexOf(round) !== index),
    tools: names.map((name) => ({
      what: name,
      needed: needed.get(name)?.length ?? 0,
      times: ran.get(name)?.length ?? 0,
    })),
    events: {
      what: 'events',
      needed: turn.last_event,
      times: eventNumbers.length,
      isGapless: eventNumbers.every((number, index) => number === index + 1),
    },
    webhooks: { what: 'webhook', needed: 1, times: new Set(accepted.map(({ id }) => id)).size },
  };
}

/** Returns a sentence for each promise that Pawl broke. */
export function brokenPromises(turn: Turn, { modelCalls, again, tools, events, webhooks }: Counts): string[] {
  const failed = turn.rounds.flatMap(({ results }) => results).filter(({ status }) => status !== 'success');
  return [
    turn.status !== 'completed' && `The turn is ${turn.status}${turn.error ? `: ${turn.error.message}` : ''}.`,
    !turn.output && 'The turn has no answer.',
    failed.length > 0 && `${failed.length} tool calls failed.`,
    !again.includes(KILLED_ROUND) &&
      `Round ${KILLED_ROUND} was not requested again, although its worker was killed in it.`,
    modelCalls.times !== modelCalls.needed + again.length && 'A stored round was never requested.',
    ...tools
      .filter(isOff)
      .map(({ what, needed, times }) => `${what} was called ${needed} times and ran ${times} times.`),
    (isOff(events) || !events.isGapless) &&
      `The stream had ${events.times} events of ${events.needed}, or was out of order.`,
    isOff(webhooks) && `${webhooks.times} webhooks with a valid signature have arrived instead of 1.`,
  ].filter((sentence) => sentence !== false);
}

function isOff({ needed, times }: Count): boolean {
  return needed !== times;
}
