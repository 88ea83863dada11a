import { findConversation } from '#core/checkpoint/conversations.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { isId, newId } from '#core/id.ts';
import { allowedAgentsOf } from '#core/project.ts';
import type { ScheduledTurnRequest } from '#core/turn/request/schedule.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';
import type { Parts } from '../process/parts.ts';
import { resolveLayers } from './agents/resolve-layers.ts';
import type { Creation } from './creation.ts';
import type { ToolContext } from './resolve-tools.ts';
import { type Started, startingConversation, startTurn, type TurnStart } from './start-turn.ts';
import { takeInput } from './take-input.ts';

/** The parts that check the turns of schedules. */
export type SchedulingContext = Omit<ToolContext, 'project'> & Pick<Parts, 'providers' | 'prices'> & { db: Db };

type ScheduledTurn = { project: string; turn: ScheduledTurnRequest; conversationId: string | null };

/** A turn that was checked and may be started. `ownId` is the id of its conversation, which may be new. */
export type CheckedTurn = Pick<TurnStart, 'config' | 'taken'> &
  ScheduledTurn & { standing: StandingConfig; ownId: string };

/**
 * Checks the turn of a schedule now, like a request for that turn with the key `keyId`. A refusal has the path within
 * the turn.
 */
export async function checkScheduledTurn(
  context: SchedulingContext,
  { project, turn, conversationId, keyId }: ScheduledTurn & { keyId: string | null },
): Promise<CheckedTurn> {
  const allowedAgents = allowedAgentsOf(context.projects.find(project), keyId);
  const standing = standingOf(turn);
  const inherited = conversationId === null ? undefined : await configOf(context.db, project, conversationId);
  const ownId = conversationId ?? newId('conv');
  const rules = { ...context, project, conversationId: ownId, input: turn.input, allowedAgents };
  const config = await resolveLayers({ own: standing, ...(inherited && { standing: inherited }) }, rules);
  const taken = await takeInput(context, { project, config, input: turn.input });
  return { project, turn, conversationId, ownId, standing, config, taken };
}

/** Starts the turn that was checked: in its conversation, or in a new conversation. */
export function startingScheduled(
  { project, turn, conversationId, ownId, standing, config, taken }: CheckedTurn,
  by: Pick<TurnStart, 'keyId' | 'needsSlot'> & { scheduleId: string },
): Creation<Started> {
  const start = { ...by, project, config, taken, request: turn, trace: null };
  if (conversationId !== null) return { inTransaction: (trx) => startTurn(trx, { ...start, conversationId }) };
  return startingConversation(
    { ...start, conversationId: ownId },
    { config: standing, metadata: {}, begunByTurn: true },
  );
}

async function configOf(db: Db, project: string, id: string): Promise<StandingConfig> {
  const conversation = isId('conv', id) ? await findConversation(db, project, id) : undefined;
  if (conversation) return conversation.config;
  const message = 'Conversation not found. Check its id, and that the API key belongs to its project.';
  throw new RequestRefused(404, 'conversation_not_found', message, 'conversation_id');
}

/** Returns the fields that a conversation keeps. The others belong to the turn alone. */
function standingOf(turn: ScheduledTurnRequest): StandingConfig {
  const { input, metadata, on_active_turn, priority, ...standing } = turn;
  return standing;
}
