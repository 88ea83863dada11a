import { z } from '@hono/zod-openapi';
import { changeConversation } from '#core/checkpoint/conversations.ts';
import { RequestRefused } from '#core/failure.ts';
import { ConversationChanges } from '#core/turn/request/conversation.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';
import type { Conversation as StoredConversation } from '#core/turn/turn.ts';
import { mergeStanding } from '../../start/agents/agent-layers.ts';
import { refuseOverrides } from '../../start/agents/allowed-agents.ts';
import { checkStanding, inheritedBy } from '../../start/resolve-config.ts';
import { allowedAgents } from '../agents/allowed-agents.ts';
import type { ApiContext } from '../context.ts';
import { explainTurnIssues } from '../http/fields/foreign-fields.ts';
import { findOwnConversation } from '../http/find-own.ts';
import { json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { ofBody, ofConfig } from '../schemas/errors/refusals.ts';
import { ConversationId } from '../schemas/fields/id.ts';
import { showConversation } from './read-conversations.ts';
import { Conversation } from './schemas/conversation.ts';

const route = routesOf('Conversations');

const change = route('patch', '/v1/conversations/{id}', 'changeConversation', {
  summary: 'Change the configuration that later turns of a conversation inherit',
  description:
    'Each given field replaces the previous value, and `metadata` is replaced as a whole. `null` ' +
    'resets a field to its default. The change applies to turns started from now on. Queued turns ' +
    'keep their configuration. `expires_in_seconds` applies at once.',
  request: { params: z.object({ id: ConversationId }), body: { required: true, content: json(ConversationChanges) } },
  answers: { 200: jsonAnswer('The conversation as it is now.', Conversation) },
  refusals: [...ofBody, ...ofConfig, 'conversation_not_found', 'conversation_busy'],
});

/** Serves `PATCH /v1/conversations/:id`. */
export function changeConversationRoutes(context: ApiContext) {
  const { db } = context;
  return makeRouter(explainTurnIssues).openapi(change, async (c) => {
    const project = c.get('project');
    const { metadata, ...fields } = c.req.valid('json');
    const allowed = allowedAgents(c, context);
    if (allowed) refuseOverrides(fields);
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const found = await findOwnConversation(db, project, c.req.valid('param').id);
      const config = changedConfig(found, fields);
      if (config !== found.config) {
        const place = { ...context, project, conversationId: found.id, allowedAgents: allowed };
        await checkStanding(await mergeStanding(config, place, fields), place);
      }
      const changes = { config, ...(metadata !== undefined && { metadata: metadata ?? {} }) };
      const isChanged = await db.transaction().execute((trx) => changeConversation(trx, found, changes));
      if (!isChanged) continue;
      const now = await findOwnConversation(db, project, found.id);
      return c.json(showConversation(now, context), 200);
    }
    const message = 'Other requests change this conversation at the same time. Try again.';
    throw new RequestRefused(409, 'conversation_busy', message);
  });
}

/** The number of times a change is retried if another change was committed between its check and its lock. */
const TRIES = 5;

/** Returns the changed configuration, or the same object if no field is given. A field with its default is removed. */
function changedConfig({ config }: StoredConversation, fields: StandingConfig): StandingConfig {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0) return config;
  const changed = { ...inheritedBy(fields, config), ...Object.fromEntries(given) };
  const kept = Object.entries(changed).filter(([, value]) => value !== null);
  // Each field is part of either the conversation or the changes.
  return Object.fromEntries(kept) as StandingConfig;
}
