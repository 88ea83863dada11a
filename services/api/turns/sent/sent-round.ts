import { z } from '@hono/zod-openapi';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { roundRequest } from '#core/llm/round-request.ts';
import { ReasoningEffort, ToolChoice, Verbosity } from '#core/turn/config/tool-choice.ts';
import { openaiHistory } from '#core/turn/history/openai.ts';
import { turnBefore } from '#core/turn/history/turn-before.ts';
import { HostedTool } from '#core/turn/hosted/hosted-tool.ts';
import { reachedLimit } from '#core/turn/reached-limit.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { ApiContext } from '../../context.ts';
import { OpenAiMessage } from '../../conversations/schemas/message-list.ts';
import { findOwnTurn } from '../../http/find-own.ts';
import { jsonAnswer, makeRouter, routesOf } from '../../http/router.ts';
import { TurnId } from '../../schemas/fields/id.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { PageQuery, readCursor } from '../../schemas/page.ts';
import { listSent, type SentPage } from './list-sent.ts';

const schema = z.record(z.string(), z.unknown());

const SentTool = z.object({
  name: z.string().describe('The name of the tool.'),
  description: z.string().describe('The description of the tool, as the model reads it.'),
  parameters: schema.describe('The JSON Schema of the arguments.'),
});

/** The request that a model was sent for a round. */
const SentRound = z
  .object({
    object: z.literal('sent_round'),
    turn_id: TurnId,
    round: z.int().min(1).describe('The number of the round, from 1.'),
    model: z.string().describe('The model that was asked, as `provider/model`.'),
    instructions: z
      .string()
      .nullable()
      .describe('The system prompt, including the output schema if Pawl put it there.'),
    messages: z
      .array(OpenAiMessage)
      .describe('The history and the turn’s own messages. A summary replaces compacted history.'),
    has_more: z.boolean().describe('Whether another page of messages follows.'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page. Null on the last page.'),
    tools: z.array(SentTool).describe('The tools in the request.'),
    hosted_tools: z.array(HostedTool).describe('The tools that the provider runs.'),
    tool_choice: ToolChoice.describe(
      'Whether the model may, must not or must call a tool. `none` in a final round and in a repair.',
    ),
    parallel_tool_calls: z.boolean().nullable().describe('Whether the model may request several calls at once.'),
    temperature: z.number().nullable().describe('The temperature. Null: the provider’s default.'),
    top_p: z.number().nullable().describe('The value of `top_p`. Null: the provider’s default.'),
    reasoning_effort: orNull(ReasoningEffort).describe('The reasoning effort.'),
    verbosity: orNull(Verbosity).describe('The verbosity of the answer.'),
    stop: z.array(z.string()).nullable().describe('The texts at which the model stops.'),
    seed: z.int().nullable().describe('The seed.'),
    text_format: schema.nullable().describe('The required form of the text, if the wire has a field for it.'),
    max_output_tokens: z.int().nullable().describe('The maximum number of tokens in the reply.'),
    provider_options: schema.describe('Fields that Pawl added to the request unchanged.'),
  })
  .meta({
    id: 'SentRound',
    description: 'The request that a model was sent for one round, in Pawl’s terms. The messages have OpenAI’s shape.',
    examples: [
      {
        ...{ object: 'sent_round', turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', round: 1, model: 'openai/gpt-4.1' },
        ...{ instructions: 'You are brief.', messages: [{ role: 'user', content: 'Hi' }] },
        ...{ has_more: false, next_cursor: null, tools: [], hosted_tools: [] },
        ...{ tool_choice: 'auto', parallel_tool_calls: null, temperature: null, top_p: null, reasoning_effort: null },
        ...{ verbosity: null, stop: null, seed: null, text_format: null, max_output_tokens: null },
        provider_options: {},
      },
    ],
  });

/** The messages have the types of their wire. */
type Sent = Omit<z.output<typeof SentRound>, 'messages'> & { messages: Record<string, unknown>[] };

const route = routesOf('Turns');

const read = route('get', '/v1/turns/{id}/rounds/{number}/sent', 'readSentRound', {
  summary: 'Read the request that the model was sent for a round',
  description:
    'Pawl rebuilds the request from stored data, with the code that sends it. Deleted items are left ' +
    'out, and blobs are shown as paths. For a round without an answer, the operation shows the next ' +
    'request. Each provider’s wire has its own form of this request. Messages of ' +
    'more than 100 turns or several megabytes are split into pages of whole turns.',
  request: {
    params: z.object({ id: TurnId, number: z.string().describe('The number of the round, from 1.') }),
    query: PageQuery.pick({ cursor: true }),
  },
  answers: { 200: jsonAnswer('The request.', SentRound as z.ZodType<Sent>) },
  refusals: ['turn_not_found', 'round_not_found', 'invalid_value'],
});

/** Serves `GET /v1/turns/:id/rounds/:number/sent`. */
export function sentRoundRoutes({ db }: ApiContext) {
  return makeRouter().openapi(read, async (c) => {
    const { id, number } = c.req.valid('param');
    const turn = await findOwnTurn(db, c.get('project'), id);
    const round = readRound(turn, number);
    const { before: after } = readCursor('turn', c.req.valid('query').cursor);
    return c.json(await sentFor(db, { turn, round }, after), 200);
  });
}

/** Returns the answered rounds, and the round that is asked now, or was asked when the turn failed. */
function readRound({ rounds, status }: Turn, number: string): number {
  const goesOn = status === 'in_progress' || status === 'requires_action' || status === 'queued' || status === 'failed';
  const round = /^[1-9]\d{0,5}$/.test(number) ? Number(number) : 0;
  if (round >= 1 && round <= rounds.length + (goesOn ? 1 : 0)) return round;
  const message = `Round not found: this turn has ${rounds.length} rounds, numbered from 1.`;
  throw new RequestRefused(404, 'round_not_found', message, 'number');
}

async function sentFor(
  db: Db,
  { turn, round }: { turn: Turn; round: number },
  after: SentPage['after'],
): Promise<Sent> {
  const own = turnBefore(turn, round);
  const step = { kind: 'run-round' as const, round, final: reachedLimit(own) };
  const request = roundRequest(own, step, []);
  const { rows, nextCursor } = await listSent(db, turn.conversationId, { own, after });
  return {
    object: 'sent_round' as const,
    ...{ turn_id: turn.id, round, model: own.work.model, instructions: request.instructions },
    ...{ messages: openaiHistory(rows), has_more: nextCursor !== null, next_cursor: nextCursor },
    ...{ tools: request.tools.map(presentTool), hosted_tools: request.hostedTools ?? [] },
    ...presentSettings(request),
  };
}

function presentTool({ name, description, parameters }: RoundRequest['tools'][number]) {
  return { name, description, parameters };
}

function presentSettings(request: RoundRequest) {
  const { toolChoice, parallelToolCalls, temperature, topP, reasoningEffort, verbosity, stop, seed } = request;
  return {
    ...{ tool_choice: toolChoice, parallel_tool_calls: parallelToolCalls, temperature, top_p: topP },
    ...{ reasoning_effort: reasoningEffort, verbosity, stop, seed, text_format: request.textFormat },
    ...{ max_output_tokens: request.maxOutputTokens, provider_options: request.providerOptions },
  };
}
