import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { newId } from '#core/id.ts';
import { fillTool, type GivenTool, type TurnTool } from '#core/turn/request/tool.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import { wakeupOf } from '#core/turn/wakeup.ts';
import type { Harness } from './create-harness.ts';
import { plainConfig } from './plain-config.ts';

/**
 * Starts a turn with a configuration that the native API cannot set. Returns the ids of the turn and its
 * conversation.
 */
export async function startWithConfig(
  { db, parts }: Pick<Harness, 'db' | 'parts'>,
  { input, config, project = 'default' }: { input: string; config: Partial<TurnConfig>; project?: string },
): Promise<{ id: string; conversationId: string }> {
  const conversationId = newId('conv');
  const turn = await createFirstTurn(
    db,
    {
      ...{ id: newId('turn'), conversationId, project, priority: 0, metadata: {} },
      ...{ config: { ...plainConfig, ...config }, input: [{ role: 'user', content: input }] },
    },
    { config: { model: plainConfig.model }, metadata: {} },
  );
  await parts.enqueue([wakeupOf(turn)]);
  return { id: turn.id, conversationId };
}

/** Returns a tool of a response: the caller answers its calls in a later turn. */
export function callersTool(name: string, given: Partial<GivenTool> = {}): TurnTool {
  return { ...fillTool({ ...given, type: 'function', name }), handOver: { custom: false } };
}

/** Returns a tool of the operator, as a turn has it. */
export function operatorsTool(name: string, given: Partial<GivenTool> = {}): TurnTool {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const execution = { kind: 'server' as const };
  return fillTool({ type: 'function', name, effect: 'none', parameters, execution, ...given });
}
