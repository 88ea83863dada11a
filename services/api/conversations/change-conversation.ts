import { z } from '@hono/zod-openapi';
import { changeConversation } from '#core/checkpoint/conversations.ts';
import { RequestRefused } from '#core/failure.ts';
import { ConversationChanges } from '#core/turn/request/conversation.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';
import type { Conversation as StoredConversation } from '#core/turn/turn.ts';
import { checkStanding, inheritedBy } from '../../start/resolve-config.ts';
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
  summary: 'Change what later turns of a conversation inherit',
  description:
    'Each field given takes the place of the standing one, `metadata` as a whole; `null` means its default. It holds for turns ' +
    'that are started from now on: those that are queued already keep theirs. `expires_in_seconds` holds for the conversation at once.',
  request: { params: z.object({ id: ConversationId }), body: { required: true, content: json(ConversationChanges) } },
  answers: { 200: jsonAnswer('The conversation as it is now.', Conversation) },
  refusals: [...ofBody, ...ofConfig, 'conversation_not_found', 'conversation_busy'],
});

/** `PATCH /v1/conversations/:id`. */
export function changeConversationRoutes(context: ApiContext) {
  const { db } = context;
  return makeRouter(explainTurnIssues).openapi(change, async (c) => {
    const project = c.get('project');
    const { metadata, ...fields } = c.req.valid('json');
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const found = await findOwnConversation(db, project, c.req.valid('param').id);
      const config = changedConfig(found, fields);
      if (config !== found.config) await checkStanding(config, { ...context, project });
      const changes = { config, ...(metadata !== undefined && { metadata: metadata ?? {} }) };
      const isChanged = await db.transaction().execute((trx) => changeConversation(trx, found, changes));
      if (!isChanged) continue;
      const now = await findOwnConversation(db, project, found.id);
      return c.json(showConversation(now, context), 200);
    }
    const message = 'Others change this conversation at the same moment. Try again.';
    throw new RequestRefused(409, 'conversation_busy', message);
  });
}

/** A change is made anew so often if another change came between its check and its lock. */
const TRIES = 5;

/** A field that has its default again is gone from the configuration; the same one where no field is given. */
function changedConfig({ config }: StoredConversation, fields: StandingConfig): StandingConfig {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0) return config;
  const changed = { ...inheritedBy(fields, config), ...Object.fromEntries(given) };
  const kept = Object.entries(changed).filter(([, value]) => value !== null);
  // Each field is one of the conversation or of the changes.
  return Object.fromEntries(kept) as StandingConfig;
}
