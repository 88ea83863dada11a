import { z } from 'zod';
import { InputMessage } from '#core/turn/message.ts';
import { Json } from '#core/turn/request/json.ts';
import { INCOMPLETE_REASONS, TURN_STATUSES } from '#core/turn/turn.ts';
import { ResponseId } from '../../openai/responses/schemas/response-object.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { ConversationId, ScheduleId, TurnId } from '../../schemas/fields/id.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { Time } from '../../schemas/fields/time.ts';
import { Compaction } from './compaction.ts';
import { AdoptedCalls, Round, ToolCall, usage } from './round.ts';
import { TurnConfig } from './turn-config.ts';
import { TurnError } from './turn-error.ts';

export const TurnStatus = z
  .enum(TURN_STATUSES)
  .describe(
    'Where the turn is. `completed`, `incomplete` and `cancelled` never change again; `failed` can be retried.',
  );

/** The response that a turn is. */
export const ResponseIdOfTurn = ResponseId.nullable().describe(
  'The response that it was created as; null for a turn of this API.',
);

/** What a turn waits for. */
export const RequiredAction = z
  .object({
    tool_outputs: z.array(ToolCall).describe('Calls that wait for a client’s output.'),
    approvals: z.array(ToolCall).describe('Calls that a person has to allow or deny.'),
    expires_at: Time.nullable().describe('When the first of them is given up; null where that never happens.'),
  })
  .meta({
    id: 'RequiredAction',
    description: 'What a turn waits for.',
    examples: [{ tool_outputs: [exampleOf(ToolCall)], approvals: [], expires_at: '2026-11-20T11:00:00.000Z' }],
  });

const Waiting = z
  .object({
    for: z
      .enum(['start_at', 'turn', 'client', 'approval', 'retry', 'provider', 'project_quota', 'slot'])
      .describe(
        '`start_at`: its time; `turn`: another turn of the conversation; `client`: the output of calls; `approval`: a decision about calls; ' +
          '`retry`: the time of the next try after one that failed; `provider`: a rate limit; `project_quota`: another turn of the project, ' +
          'which has as many at work as it may; `slot`: a free place in a worker.',
      ),
    since: Time.describe('Since when.'),
    until: Time.optional().describe(
      'Until when, where that is known: its time, the next try, or when a call is given up.',
    ),
    note: z
      .string()
      .optional()
      .describe('What keeps every turn from running, where that is so: no worker runs, or the queue is away.'),
  })
  .meta({
    id: 'Waiting',
    description: 'Why a turn does not run. Of several reasons it names the first in the order of `for`.',
    examples: [{ for: 'provider', since: '2026-11-20T10:00:00.412Z', until: '2026-11-20T10:00:30.412Z' }],
  });

const IncompleteDetails = z
  .object({
    reason: z
      .enum(INCOMPLETE_REASONS)
      .describe(
        'The limit that was reached, or the reason for which the model stopped. `unknown_finish_reason`: Pawl does not know the provider’s word, see `finish_reason_raw` of the last round.',
      ),
  })
  .meta({
    id: 'IncompleteDetails',
    description: 'Why an answer is not whole.',
    examples: [{ reason: 'max_rounds' }],
  });

const Usage = z
  .object({
    ...usage,
    llm_calls: z.int().describe('How many requests were made to the model, failed ones too.'),
    tool_calls: z.int().describe('How many calls the model requested.'),
  })
  .meta({
    id: 'TurnUsage',
    description: 'What all rounds used together, and the summaries that were written between them.',
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
    model: 'sim/demo',
  },
  ...{ round: 2, phase: null, last_event: 6, output: 'It is 22 °C and clear in Lisbon.', output_parsed: null },
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

/** The turn as callers see it; `presentTurn` makes it. */
export const Turn = z
  .object({
    id: TurnId,
    object: z.literal('turn'),
    conversation_id: ConversationId,
    response_id: ResponseIdOfTurn,
    status: TurnStatus,
    input: z
      .array(InputMessage)
      .describe('The messages of the caller, with those that have joined before the turn began.'),
    pending_input: z
      .array(InputMessage)
      .describe('What has joined since, and is sent with the next round. Where the turn ends before, it stays here.'),
    model: z
      .string()
      .describe('The model that was asked for, as `provider/model`; each round names the one that wrote it.'),
    round: z.int().describe('The round it is on, or ended on; 0 until it is started.'),
    phase: z
      .enum(['llm_round', 'tool_batch'])
      .nullable()
      .describe('What it is on: asking the model, or running the calls of a reply. Null while queued and when ended.'),
    last_event: z.int().describe('The sequence number of its latest event; `after` waits for a higher one.'),
    output: z.string().nullable().describe('The final text only; null until there is one.'),
    output_parsed: Json.describe(
      'The output as a value, of a completed turn with `output_schema`; null of any other.',
    ) as z.ZodType<unknown>,
    forked_from: TurnId.nullable().describe(
      'The turn that it goes on from, of the first turn of a fork; null of others.',
    ),
    after_round: z.int().nullable().describe('Behind which round of that turn; 0 is before its first.'),
    rerun_of: TurnId.nullable().describe('The turn that it runs again; null of others.'),
    adopted_calls: AdoptedCalls.optional(),
    rounds: z.array(Round).describe('The committed rounds. They are never lost or repeated.'),
    compactions: z
      .array(Compaction)
      .optional()
      .describe('Before which rounds the history was compacted. Absent where it never was.'),
    required_action: orNull(RequiredAction).describe('What it waits for; null where it waits for no answer.'),
    waiting: orNull(Waiting).describe('Why it does not run; null while a step is at work, and after the end.'),
    incomplete_details: orNull(IncompleteDetails).describe('Why the answer is not whole, for `incomplete`.'),
    error: orNull(TurnError).describe('What went wrong, for `failed`.'),
    usage: Usage,
    warnings: z.array(z.string()).describe('What the caller should know, such as that tool calls were emulated.'),
    metadata: z.record(z.string(), z.string()).describe('What the caller keeps with the turn.'),
    created_at: Time,
    schedule_id: ScheduleId.nullable().describe('The schedule that started it; null where none did.'),
    continues: TurnId.nullable().describe('The turn whose chat completion this one continues; null of all others.'),
    start_at: Time.nullable().describe('Before this time the turn is not begun; null where no time was asked for.'),
    started_at: Time.nullable().describe('When a worker first took it; null until then.'),
    completed_at: Time.nullable().describe('When it ended; null until then.'),
    config: TurnConfig.optional().describe('What it ran with: only there with `include=config`.'),
  })
  .meta({
    id: 'Turn',
    description: 'One input and all the work until its answer; the durable unit.',
    examples: [example],
  });

const { rounds, ...listedExample } = example;

/** The turn as lists show it; `presentListed` makes it. */
export const ListedTurn = Turn.partial({ rounds: true })
  .extend({ rounds_count: z.int().describe('How many rounds are committed.') })
  .meta({
    id: 'ListedTurn',
    description: 'A turn of a list: its rounds are there with `include=rounds` only.',
    examples: [{ ...listedExample, rounds_count: rounds.length }],
  });
