import { z } from '@hono/zod-openapi';
import type { Trx } from '#core/checkpoint/tables.ts';
import { joinTurn } from '#core/checkpoint/turns/inputs/join.ts';
import { lockConversation } from '#core/checkpoint/turns/lock.ts';
import { RequestRefused } from '#core/failure.ts';
import { NewInput } from '#core/turn/request/turn.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import type { Turn as StoredTurn } from '#core/turn/turn.ts';
import { publishChanges } from '../../process/publish-changes.ts';
import { checkRunsAllowed } from '../../start/agents/allowed-agents.ts';
import { checkItems } from '../../start/agents/check-items.ts';
import type { Created } from '../../start/creation.ts';
import { takeInput } from '../../start/take-input.ts';
import { keepTaken, type TakenInput } from '../../start/take-parts.ts';
import { allowedAgents } from '../agents/allowed-agents.ts';
import type { ApiContext } from '../context.ts';
import { explainTurnIssues } from '../http/fields/foreign-fields.ts';
import { findOwnTurn, turnNotFound } from '../http/find-own.ts';
import { findReplay, withIdempotencyKey } from '../http/idempotency.ts';
import { setPollAfter } from '../http/poll-after.ts';
import { json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { ofAllowedAgents, ofBody, ofIdempotencyKey } from '../schemas/errors/refusals.ts';
import { idempotencyKey, pollAfterHeader, replayedHeader } from '../schemas/fields/headers.ts';
import { TurnId } from '../schemas/fields/id.ts';
import { Turn } from './schemas/turn.ts';

const route = routesOf('Turns');

const add = route('post', '/v1/turns/{id}/input', 'addTurnInput', {
  summary: 'Add a message to an active turn',
  description:
    'Pawl sends the message with the next round. It does not interrupt a running model request or ' +
    'tool. If the model has just finished its answer, the turn continues with one more round. A turn ' +
    'that waits for a client or a person keeps waiting, and sends the message after the results.',
  parameters: [idempotencyKey],
  request: { params: z.object({ id: TurnId }), body: { required: true, content: json(NewInput) } },
  answers: {
    200: jsonAnswer('The turn as it is now. The input was added permanently.', Turn, {
      ...pollAfterHeader,
      ...replayedHeader,
    }),
  },
  refusals: [...ofBody, ...ofIdempotencyKey, 'turn_not_found', 'turn_ended', ...ofAllowedAgents, 'unsupported_content'],
});

/** Serves `POST /v1/turns/:id/input`. */
export function turnInputRoutes(context: ApiContext) {
  return makeRouter(explainTurnIssues).openapi(add, async (c) => {
    const project = c.get('project');
    const { input, metadata } = c.req.valid('json');
    const turn = await findOwnTurn(context.db, project, c.req.valid('param').id);
    if (!(await findReplay(c, context))) {
      const allowed = allowedAgents(c, context);
      if (allowed) checkInput(turn, { input, allowed });
      const taken = await takeInput(context, { project, config: turn.config, input });
      const joining = { taken, metadata: metadata ?? {} };
      const created = await withIdempotencyKey(c, context, { inTransaction: (trx) => addInput(trx, turn, joining) });
      if (!('isReplay' in created)) await publishChanges(context, { wakeups: [], joined: [turn.id] });
    }
    const now = await findOwnTurn(context.db, project, turn.id);
    setPollAfter(c, now);
    return c.json(presentTurn(now), 200);
  });
}

type Restricted = { input: unknown; allowed: readonly string[] };

/** Refuses input for a turn of an agent that is not allowed, and messages that are not a user's. */
function checkInput({ config }: StoredTurn, { input, allowed }: Restricted): void {
  checkItems(input, 'input');
  checkRunsAllowed(config.agent, allowed);
}

type Joining = { taken: TakenInput; metadata: Record<string, string> };

async function addInput(
  trx: Trx,
  { id, project, conversationId }: StoredTurn,
  { taken, metadata }: Joining,
): Promise<Created> {
  if (!(await lockConversation(trx, conversationId))) throw turnNotFound();
  if (!(await joinTurn(trx, id, { content: taken.input, metadata }))) throw await whyNot(trx, project, id);
  await keepTaken(trx, { project, turnId: id, taken });
  return { status: 200, resourceId: id };
}

async function whyNot(trx: Trx, project: string, id: string): Promise<RequestRefused> {
  const { status } = await findOwnTurn(trx, project, id);
  const message = `The turn is ${status} already and accepts no more input. Start a new turn instead.`;
  return new RequestRefused(409, 'turn_ended', message);
}
