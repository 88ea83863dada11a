import { z } from '@hono/zod-openapi';
import { classifyDecision } from '#core/turn/classify-answer.ts';
import { Json } from '#core/turn/request/json.ts';
import { deniedResult } from '#core/turn/tool-result.ts';
import type { Turn as StoredTurn, ToolCall } from '#core/turn/turn.ts';
import type { ApiContext } from '../../context.ts';
import { findOwnTurn } from '../../http/find-own.ts';
import { json, jsonAnswer, makeRouter, routesOf } from '../../http/router.ts';
import { ofBody } from '../../schemas/errors/refusals.ts';
import { pollAfterHeader } from '../../schemas/fields/headers.ts';
import { TurnId } from '../../schemas/fields/id.ts';
import { Turn } from '../schemas/turn.ts';
import { changedArguments, checkApprovedArguments, type DecidedCall } from './approved-arguments.ts';
import { MAX_ANSWERS, type SubmittedAnswer } from './submit-answers.ts';
import { takeAnswers } from './take-answers.ts';

const Decision = z
  .strictObject({
    tool_call_id: z.string().describe('The id of the call. `required_action` lists the waiting calls.'),
    decision: z.enum(['allow', 'deny']).describe('Whether Pawl may make the call.'),
    reason: z.string().max(2000).nullish().describe('The reason. The model reads why a call was denied.'),
    arguments: z
      .record(z.string(), Json)
      .optional()
      .describe(
        'With `allow`: arguments that replace the model’s arguments. They must match the tool’s schema. ' +
          'The model is informed of the change.',
      ),
  })
  .refine(({ decision, arguments: approved }) => decision === 'allow' || approved === undefined, {
    ...{ path: ['arguments'], message: 'leave it out of a decision that denies the call' },
  });

const Decisions = z
  .strictObject({
    approvals: z
      .array(Decision)
      .min(1)
      .max(MAX_ANSWERS)
      .describe('The decisions. Pawl saves either all decisions or none.'),
  })
  .meta({ id: 'Approvals', examples: [{ approvals: [{ tool_call_id: 'call_1', decision: 'allow' }] }] });

const route = routesOf('Tool calls');

const decide = route('post', '/v1/turns/{id}/approvals', 'decideApprovals', {
  summary: 'Allow or deny calls that wait for a person',
  description:
    'Repeating a decision has no effect. A different decision, or the same decision with other ' +
    '`arguments`, is a 409. The first decision remains.',
  request: { params: z.object({ id: TurnId }), body: { required: true, content: json(Decisions) } },
  answers: { 200: jsonAnswer('The turn as it is now.', Turn, pollAfterHeader) },
  refusals: [...ofBody, 'turn_not_found', 'tool_call_not_found', 'tool_call_answered', 'tool_call_not_waiting'],
});

/** Serves `POST /v1/turns/:id/approvals`. */
export function approvalRoutes(context: ApiContext) {
  return makeRouter().openapi(decide, async (c) => {
    const asked = await findOwnTurn(context.db, c.get('project'), c.req.valid('param').id);
    const decided = c.req.valid('json').approvals.map(readDecision);
    await checkApprovedArguments(asked, decided);
    const answers = decided.map((one, index) => answerOf(one, index, c.get('keyId')));
    return c.json(await takeAnswers(c, context, { id: asked.id, answers }), 200);
  });
}

type Decided = DecidedCall & { reason: string | null };

function readDecision({ tool_call_id: callId, decision, reason = null, ...given }: z.output<typeof Decision>): Decided {
  return { callId, decision, reason, arguments: given.arguments && JSON.stringify(given.arguments) };
}

function answerOf(decided: Decided, index: number, by: string | null): SubmittedAnswer {
  const { callId, decision, reason } = decided;
  const at = new Date().toISOString();
  return {
    callId,
    path: `approvals[${index}].tool_call_id`,
    classify: (call) => classifyDecision(call, decided),
    record: (call, turn) => ({
      approval: { decision, reason, by, at, ...changedArguments(call, decided.arguments) },
      fullOutput: null,
      result: decision === 'deny' ? deniedResult(reason) : null,
      waitsFor: decision === 'allow' && isClientSide(call, turn) ? 'output' : null,
    }),
  };
}

/** An allowed call of a client-side tool still waits for the client's output. */
function isClientSide({ name }: ToolCall, { config }: StoredTurn): boolean {
  return config.tools.find((tool) => tool.name === name)?.execution?.kind === 'client';
}
