import { z } from 'zod';

const number = z.int();

const Call = z.object({ id: z.string(), name: z.string(), arguments: z.record(z.string(), z.unknown()) });
export type Call = z.output<typeof Call>;

const Result = z.object({ tool_call_id: z.string(), status: z.string(), duration_ms: z.number().nullable() });

const Round = z.object({
  number,
  assistant_response: z.string().nullable(),
  tool_calls: z.array(Call),
  results: z.array(Result),
  attempts: number,
});
export type Round = z.output<typeof Round>;

/** A turn as the API answers it, as far as the demo reads it. */
export const Turn = z.object({
  id: z.string(),
  status: z.string(),
  output: z.string().nullable(),
  rounds: z.array(Round),
  last_event: number,
  error: z.object({ message: z.string() }).nullable(),
});
export type Turn = z.output<typeof Turn>;

/** The events of a turn that the demo shows (contract: Events). */
export const TurnEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('round.started'), round: number, attempt: number }),
  z.object({ type: z.literal('output_text.delta'), round: number, attempt: number, offset: number, delta: z.string() }),
  z.object({
    type: z.literal('round.completed'),
    round: number,
    assistant_response: z.string().nullable(),
    tool_calls: z.array(Call),
  }),
  z.object({
    type: z.literal('tool_call.started'),
    round: number,
    tool_call_id: z.string(),
    name: z.string(),
    status_text: z.string().nullable(),
  }),
  z.object({ type: z.literal('tool_call.progress'), round: number, tool_call_id: z.string(), value: z.unknown() }),
  z.object({
    type: z.literal('tool_call.completed'),
    round: number,
    tool_call_id: z.string(),
    name: z.string(),
    result: Result,
  }),
  z.object({ type: z.enum(['turn.completed', 'turn.incomplete', 'turn.failed', 'turn.cancelled']), turn: Turn }),
]);
export type TurnEvent = z.output<typeof TurnEvent>;
