import type { Journal } from './journal.ts';
import type { Delivered } from './start-receiver.ts';
import type { StepLog } from './step-log.ts';
import type { Seen } from './watch-turn.ts';

/** One thing that was needed `needed` times and really happened `times` times. */
export type Count = { what: string; needed: number; times: number };

/** What was counted where it happened: in the workers' logs, in the tools, in the stream, at the receiver. */
export type Counts = {
  modelCalls: Count;
  again: number[];
  tools: Count[];
  events: Count & { isGapless: boolean };
  webhooks: Count;
};

type Witnesses = { seen: Seen; steps: StepLog; journal: Journal; delivered: Delivered[] };

/** Sets what the stored turn needed against what really happened. */
export function count({ seen, steps, journal, delivered }: Witnesses): Counts {
  const { turn, eventNumbers } = seen;
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
    webhooks: { what: 'webhook', needed: 1, times: new Set(delivered.map(({ id }) => id)).size },
  };
}
