import { findConversation } from '#core/checkpoint/conversations.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { isId, newId } from '#core/id.ts';
import type { ScheduledTurnRequest } from '#core/turn/request/schedule.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';
import type { Parts } from '../process/parts.ts';
import type { Creation } from './creation.ts';
import { mergeConfig, resolveConfig } from './resolve-config.ts';
import type { ToolContext } from './resolve-tools.ts';
import { type Started, startingConversation, startTurn, type TurnStart } from './start-turn.ts';
import { takeInput } from './take-input.ts';

/** The parts that check the turns of schedules. */
export type SchedulingContext = Omit<ToolContext, 'project'> & Pick<Parts, 'providers' | 'prices'> & { db: Db };

type ScheduledTurn = { project: string; turn: ScheduledTurnRequest; conversationId: string | null };

/** A turn that was checked and may be started. */
export type CheckedTurn = Pick<TurnStart, 'config' | 'taken'> & ScheduledTurn & { standing: StandingConfig };

/** Checks the turn of a schedule now, like a request for that turn. A refusal has the path within the turn. */
export async function checkScheduledTurn(
  context: SchedulingContext,
  { project, turn, conversationId }: ScheduledTurn,
): Promise<CheckedTurn> {
  const standing = standingOf(turn);
  const inherited = conversationId === null ? null : await configOf(context.db, project, conversationId);
  const rules = { ...context, project, input: turn.input };
  const config = await resolveConfig(inherited ? mergeConfig(inherited, standing) : standing, rules);
  const taken = await takeInput(context, { project, config, input: turn.input });
  return { project, turn, conversationId, standing, config, taken };
}

/** Starts the turn that was checked: in its conversation, or in a new conversation. */
export function startingScheduled(
  { project, turn, conversationId, standing, config, taken }: CheckedTurn,
  by: Pick<TurnStart, 'keyId' | 'needsSlot'> & { scheduleId: string },
): Creation<Started> {
  const start = { ...by, project, config, taken, request: turn, trace: null };
  if (conversationId !== null) return { inTransaction: (trx) => startTurn(trx, { ...start, conversationId }) };
  const own = { ...start, conversationId: newId('conv') };
  return startingConversation(own, { config: standing, metadata: {}, begunByTurn: true });
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
