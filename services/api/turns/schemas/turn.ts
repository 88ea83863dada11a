import { z } from 'zod';
import { InputMessage } from '#core/turn/message.ts';
import { Json } from '#core/turn/request/json.ts';
import { INCOMPLETE_REASONS, TURN_STATUSES } from '#core/turn/turn.ts';
import { ResponseId } from '../../openai/responses/schemas/response-object.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { AgentId, ConversationId, ScheduleId, TurnId } from '../../schemas/fields/id.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { Time } from '../../schemas/fields/time.ts';
import { Compaction } from './compaction.ts';
import { hostedFields } from './hosted.ts';
import { AdoptedCalls, Round, ToolCall, usage } from './round.ts';
import { TurnConfig } from './turn-config.ts';
import { TurnError } from './turn-error.ts';

export const TurnStatus = z
  .enum(TURN_STATUSES)
  .describe(
    'The status of the turn. `completed`, `incomplete` and `cancelled` are final. A `failed` turn can be retried.',
  );

/** The id of a turn as a response. */
export const ResponseIdOfTurn = ResponseId.nullable().describe(
  'The id of this turn as a response. Null if the turn was created with Pawl’s own API.',
);

/** The answers that a turn waits for. */
export const RequiredAction = z
  .object({
    tool_outputs: z.array(ToolCall).describe('Calls that wait for an output from a client.'),
    approvals: z.array(ToolCall).describe('Calls that wait for a person to allow or deny them.'),
    expires_at: Time.nullable().describe(
      'The time when Pawl gives up the call that expires first. Null if no call expires.',
    ),
  })
  .meta({
    id: 'RequiredAction',
    description: 'The answers that a turn waits for.',
    examples: [{ tool_outputs: [exampleOf(ToolCall)], approvals: [], expires_at: '2026-11-20T11:00:00.000Z' }],
  });

const Waiting = z
  .object({
    for: z
      .enum(['start_at', 'turn', 'client', 'approval', 'batch', 'retry', 'provider', 'project_quota', 'slot'])
      .describe(
        'The reason. `start_at`: the start time is in the future. `turn`: another turn of the ' +
          'conversation is active. `client`: calls wait for an output. `approval`: calls wait for a ' +
          'decision. `batch`: the round waits for its batch. `retry`: a try failed, and the next try is ' +
          'scheduled. `provider`: a rate limit. ' +
          '`project_quota`: the project already runs as many turns as its quota allows. `slot`: the turn ' +
          'waits for a free slot of a worker.',
      ),
    since: Time.describe('The time when the turn began to wait.'),
    until: Time.optional().describe(
      'The time when the wait ends, if known: the start time, the next try, or the time when a call is given up.',
    ),
    note: z
      .string()
      .optional()
      .describe(
        'The reason why no worker takes the turn: the queue is unavailable, no worker is alive, or no worker ' +
          'has loaded its tools. Absent otherwise.',
      ),
  })
  .meta({
    id: 'Waiting',
    description: 'The reason why a turn does not run. If several apply, this is the first in the order of `for`.',
    examples: [{ for: 'provider', since: '2026-11-20T10:00:00.412Z', until: '2026-11-20T10:00:30.412Z' }],
  });

const AgentOfTurn = z
  .object({
    id: AgentId,
    name: z.string().describe('The name of the agent.'),
    version: z.int().describe('The version of the agent.'),
  })
  .meta({
    id: 'AgentOfTurn',
    description: 'A version of an agent.',
    examples: [{ id: 'agent_01kagz8m4pfvbte2n5q7rys3wx', name: 'support', version: 7 }],
  });

const IncompleteDetails = z
  .object({
    reason: z
      .enum(INCOMPLETE_REASONS)
      .describe(
        'The limit that the turn reached, or the reason why the model stopped. `unknown_finish_reason`: ' +
          'Pawl does not know the reason that the provider sent. See `finish_reason_raw` of the last round.',
      ),
  })
  .meta({
    id: 'IncompleteDetails',
    description: 'The reason why an answer is incomplete.',
    examples: [{ reason: 'max_rounds' }],
  });

const Usage = z
  .object({
    ...usage,
    llm_calls: z.int().describe('The number of requests to the model, including failed requests.'),
    tool_calls: z.int().describe('The number of calls that the model requested.'),
  })
  .meta({
    id: 'TurnUsage',
    description: 'The usage of all rounds of the turn, and of the summaries written between them.',
    examples: [
      {
        ...{ input_tokens: 122, output_tokens: 36, total_tokens: 158 },
        ...{ cached_input_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
        ...{ cost_usd: 0.000532, cache_savings_usd: 0, llm_calls: 2, tool_calls: 1 },
      },
    ],
  });

const example = {
  ...{ id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', object: 'turn', conversation_id: 'conv_01kagz8m4pfvbte2n5q7rys3wx' },
  ...{
    response_id: null,
    status: 'completed',
    input: [{ role: 'user', content: 'How is the weather in Lisbon?' }],
    pending_input: [],
    agent: null,
    model: 'sim/demo',
  },
  ...{ round: 2, phase: null, last_event: 6, output: 'It is 22 °C and clear in Lisbon.', output_parsed: null },
  ...{ output_annotations: [], output_parts: null },
  ...{ forked_from: null, after_round: null, rerun_of: null },
  rounds: [
    exampleOf(Round),
    {
      ...{ ...exampleOf(Round), number: 2, assistant_response: null, tool_calls: [], results: [] },
      ...{ finish_reason: 'stop', finish_reason_raw: 'stop' },
      ...{ started_at: '2026-11-20T10:00:01.230Z', completed_at: '2026-11-20T10:00:02.015Z' },
    },
  ],
  ...{
    required_action: null,
    waiting: null,
    incomplete_details: null,
    error: null,
    usage: exampleOf(Usage),
    warnings: [],
  },
  ...{ metadata: { order: '17' }, created_at: '2026-11-20T10:00:00.082Z', start_at: null },
  schedule_id: null,
  continues: null,
  ...{ started_at: '2026-11-20T10:00:00.099Z', completed_at: '2026-11-20T10:00:02.015Z' },
};

/** A turn as callers see it, made by `presentTurn`. */
export const Turn = z
  .object({
    id: TurnId,
    object: z.literal('turn'),
    conversation_id: ConversationId,
    response_id: ResponseIdOfTurn,
    status: TurnStatus,
    input: z
      .array(InputMessage)
      .describe('The input messages of the turn, including messages that were added before it started.'),
    pending_input: z
      .array(InputMessage)
      .describe(
        'Messages added after the turn started. Pawl sends them with the next round. If the turn ends ' +
          'first, they stay here.',
      ),
    agent: orNull(AgentOfTurn).describe('The version of an agent that the turn runs with. Null without an agent.'),
    model: z
      .string()
      .describe(
        'The model that the caller requested, as ' +
          '`provider/model`. Each round names the model that wrote the reply.',
      ),
    round: z.int().describe('The number of the current or last round. 0 until the turn starts.'),
    phase: z
      .enum(['llm_round', 'tool_batch'])
      .nullable()
      .describe(
        'The current work: asking the model, or running the calls of a reply. Null while the turn is ' +
          'queued and after it ends.',
      ),
    last_event: z
      .int()
      .describe('The sequence number of the latest event. With `after`, a read waits for a higher number.'),
    output: z.string().nullable().describe('The text of the last round. Null until the turn has a final text.'),
    output_parsed: Json.describe(
      'The output as a parsed value, for a completed turn with `output_schema`. Null for all other turns.',
    ) as z.ZodType<unknown>,
    ...hostedFields,
    forked_from: TurnId.nullable().describe(
      'For the first turn of a fork: the turn that it continues. Null for other turns.',
    ),
    after_round: z
      .int()
      .nullable()
      .describe('For the first turn of a fork: the last round of `forked_from` that the fork keeps. 0 keeps no round.'),
    rerun_of: TurnId.nullable().describe('The turn that this turn runs again. Null for other turns.'),
    adopted_calls: AdoptedCalls.optional(),
    rounds: z.array(Round).describe('The committed rounds. Pawl never loses or repeats a committed round.'),
    compactions: z
      .array(Compaction)
      .optional()
      .describe(
        'The compactions of the history, each with the round before which it was made. Absent if there were none.',
      ),
    required_action: orNull(RequiredAction).describe(
      'The answers that the turn waits for. Null if the turn waits for no answer.',
    ),
    waiting: orNull(Waiting).describe(
      'The reason why the turn does not run. Null while a step runs, and after the turn ends.',
    ),
    incomplete_details: orNull(IncompleteDetails).describe(
      'The reason why the answer is incomplete, for the status `incomplete`.',
    ),
    error: orNull(TurnError).describe('The error, for the status `failed`.'),
    usage: Usage,
    warnings: z.array(z.string()).describe('Warnings for the caller, for example that Pawl emulated tool calls.'),
    metadata: z.record(z.string(), z.string()).describe('Key-value pairs that the caller stores with the turn.'),
    created_at: Time,
    schedule_id: ScheduleId.nullable().describe('The schedule that started the turn. Null if no schedule did.'),
    continues: TurnId.nullable().describe(
      'The turn whose chat completion this turn continues. Null for all other turns.',
    ),
    start_at: Time.nullable().describe(
      'The earliest time at which the turn may start. Null if the caller set no time.',
    ),
    started_at: Time.nullable().describe('The time when a worker first started the turn. Null before that.'),
    completed_at: Time.nullable().describe('The time when the turn ended. Null before that.'),
    config: TurnConfig.optional().describe('The configuration of the turn. Present only with `include=config`.'),
  })
  .meta({
    id: 'Turn',
    description: 'A turn: one input, and all the work until its answer. Turns are durable.',
    examples: [example],
  });

const { rounds, ...listedExample } = example;

/** A turn as lists show it, made by `presentListed`. */
export const ListedTurn = Turn.partial({ rounds: true })
  .extend({ rounds_count: z.int().describe('The number of committed rounds.') })
  .meta({
    id: 'ListedTurn',
    description: 'A turn in a list. `rounds` is present only with `include=rounds`.',
    examples: [{ ...listedExample, rounds_count: rounds.length }],
  });
