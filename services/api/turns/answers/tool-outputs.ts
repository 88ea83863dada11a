import { z } from '@hono/zod-openapi';
import { findCallOutput } from '#core/checkpoint/turns/reading/call-outputs.ts';
import { RequestRefused } from '#core/failure.ts';
import { isRecord } from '#core/json.ts';
import { shorten } from '#core/text.ts';
import { cleanError } from '#core/tools/clean.ts';
import { renderOutput } from '#core/tools/run/render-output.ts';
import { renderParts } from '#core/tools/run/render-parts.ts';
import { classifyOutput } from '#core/turn/classify-answer.ts';
import { shownPart } from '#core/turn/parts/part-data.ts';
import { InputPart, MAX_PARTS } from '#core/turn/request/input-part.ts';
import type { Part } from '#core/turn/request/item.ts';
import { Json } from '#core/turn/request/json.ts';
import { errorResult, type ToolResult } from '#core/turn/tool-result.ts';
import { type TakenInput, takeOutput } from '../../../start/take-parts.ts';
import type { ApiContext } from '../../context.ts';
import { findOwnTurn } from '../../http/find-own.ts';
import { json, jsonAnswer, makeRouter, routesOf } from '../../http/router.ts';
import { ofBody } from '../../schemas/errors/refusals.ts';
import { pollAfterHeader } from '../../schemas/fields/headers.ts';
import { TurnId } from '../../schemas/fields/id.ts';
import { ToolErrorBody } from '../schemas/round.ts';
import { Turn } from '../schemas/turn.ts';
import { MAX_ANSWERS, type SubmittedAnswer } from './submit-answers.ts';
import { takeAnswers } from './take-answers.ts';

const Output = z
  .strictObject({
    tool_call_id: z.string().describe('The id of the call. `required_action` lists the waiting calls.'),
    output: Json.optional().describe(
      'The result that the model reads: a text, any JSON value, or a list of parts as in a user ' +
        'message. Give either `output` or `error`.',
    ),
    error: ToolErrorBody.optional().describe('The reason why there is no result. Give either `error` or `output`.'),
  })
  .refine(({ output, error }) => (output === undefined) !== (error === undefined), 'give either output or error');

const Outputs = z
  .strictObject({
    tool_outputs: z
      .array(Output)
      .min(1)
      .max(MAX_ANSWERS)
      .describe('The outputs. Pawl saves either all outputs or none.'),
  })
  .meta({ id: 'ToolOutputs', examples: [{ tool_outputs: [{ tool_call_id: 'call_1', output: { city: 'Lisbon' } }] }] });

const WholeOutput = z
  .object({
    tool_call_id: z.string().describe('The id of the call.'),
    output: z
      .union([z.string(), z.array(InputPart)])
      .nullable()
      .describe('The whole text, or the parts. Null if the call ended with an error.'),
    truncated: z.boolean().describe('Whether the output is incomplete: Pawl keeps 4 MiB of one output.'),
  })
  .meta({
    id: 'ToolOutput',
    description: 'The whole output of one call.',
    examples: [{ tool_call_id: 'call_1', output: '{"city":"Lisbon"}', truncated: false }],
  });

const route = routesOf('Tool calls');

const submit = route('post', '/v1/turns/{id}/tool_outputs', 'submitToolOutputs', {
  summary: 'Give the results of client-side tool calls',
  description:
    'Calls without an output here stay pending. Repeating an output has no effect. A different ' +
    'output for the same call is a 409.',
  request: { params: z.object({ id: TurnId }), body: { required: true, content: json(Outputs) } },
  answers: { 200: jsonAnswer('The turn as it is now.', Turn, pollAfterHeader) },
  refusals: [...ofBody, 'turn_not_found', 'tool_call_not_found', 'tool_call_answered', 'tool_call_not_waiting'],
});

const read = route('get', '/v1/turns/{id}/tool_outputs/{call_id}', 'readToolOutput', {
  summary: 'Read the whole output of one call',
  request: { params: z.object({ id: TurnId, call_id: z.string().describe('The id of the call.') }) },
  answers: { 200: jsonAnswer('The output.', WholeOutput) },
  refusals: ['turn_not_found', 'tool_output_not_found'],
});

/** Serves `/v1/turns/:id/tool_outputs`: clients send results, and read the results of tools. */
export function toolOutputRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(submit, async (c) => {
      const project = c.get('project');
      const { id } = await findOwnTurn(context.db, project, c.req.valid('param').id);
      const given = c.req.valid('json').tool_outputs;
      const answers = await Promise.all(given.map((output, index) => answerOf(output, { index, project }, context)));
      return c.json(await takeAnswers(c, context, { id, answers }), 200);
    })
    .openapi(read, async (c) => {
      const { id, call_id } = c.req.valid('param');
      const turn = await findOwnTurn(context.db, c.get('project'), id);
      const found = isCallId(call_id) ? await findCallOutput(context.db, turn.id, call_id) : undefined;
      if (!found?.result || found.result.status === 'handed_over') {
        const message = `The call ${shorten(call_id)} has no output in this turn${found ? whyNone(found.result) : ''}.`;
        throw new RequestRefused(404, 'tool_output_not_found', message, 'call_id');
      }
      const { result, fullOutput } = found;
      const output = result.parts ? wholeParts(result.parts, fullOutput) : (fullOutput ?? result.content);
      return c.json({ tool_call_id: call_id, output, truncated: result.partial === true }, 200);
    });
}

type Given = z.output<typeof Output>;
type Known = { result: ToolResult; full: string | null; taken?: Omit<TakenInput, 'input'> };

async function answerOf(
  output: Given,
  { index, project }: { index: number; project: string },
  context: ApiContext,
): Promise<SubmittedAnswer> {
  const path = `tool_outputs[${index}]`;
  const { result, full, taken } = await resultOf(output, { path, project }, context);
  return {
    callId: output.tool_call_id,
    path: `${path}.tool_call_id`,
    classify: (call) => classifyOutput(call, result),
    record: () => ({ result, fullOutput: full, waitsFor: null, approval: null }),
    ...(taken && { taken }),
  };
}

async function resultOf(
  { output, error: given }: Given,
  at: { path: string; project: string },
  { db, toolOutputLimit, redact }: ApiContext,
): Promise<Known> {
  if (given) {
    const error = cleanError(given.category, given.message, given.details, redact);
    return { result: errorResult(error, { attempts: 1 }), full: null };
  }
  const parts = mayBeParts(output) ? Parts.safeParse(output) : null;
  if (!parts?.success) {
    const { full, ...shown } = renderOutput(output, toolOutputLimit, redact);
    return known(shown, full);
  }
  const { parts: own, ...taken } = await takeOutput(db, { ...at, parts: parts.data });
  const { full, ...shown } = renderParts(own, toolOutputLimit, redact);
  return { ...known(shown, full), taken };
}

/** A list with parts only. Any other value is JSON. */
const Parts = z.array(InputPart).min(1).max(MAX_PARTS);

/** Returns whether a value may be a list of parts. A long list is not checked against a schema. */
function mayBeParts(output: unknown): boolean {
  return (
    Array.isArray(output) && output.length <= MAX_PARTS && output.every((item) => isRecord(item) && 'type' in item)
  );
}

type Shown = { content: string; truncated: boolean; parts?: Part[]; partial?: boolean };

function known({ partial, ...shown }: Shown, full: string | null): Known {
  const spent = { cached: false, duration_ms: 0, attempts: 1 };
  const kept = partial ? { partial: true as const } : {};
  return {
    result: { status: 'success', ...shown, error: null, ...kept, ...spent },
    full: shown.truncated ? full : null,
  };
}

/** If texts were cut, all parts are also kept as JSON. */
function wholeParts(parts: Part[], fullOutput: string | null): Part[] {
  const whole = fullOutput === null ? parts : (JSON.parse(fullOutput) as Part[]);
  return whole.map(shownPart);
}

/** Returns why an existing call has no output. */
function whyNone(result: ToolResult | null): string {
  return result ? ': it was handed over, and its result is in the input of a later turn' : ' yet';
}

/** Returns whether a text could be the id of a call. */
function isCallId(text: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(text);
}
