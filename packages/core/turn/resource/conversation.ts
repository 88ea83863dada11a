import { type ConfigName, type configFields, mapFields } from '../config/config-fields.ts';
import type { StoredValue } from '../config/kept-config.ts';
import { isHosted } from '../hosted/hosted-tool.ts';
import { fillLimits } from '../limits.ts';
import type { GivenTool, Tool } from '../request/tool.ts';
import type { StandingConfig } from '../request/turn.ts';
import type { Conversation } from '../turn.ts';
import { iso } from './iso.ts';

export type ConversationResource = ReturnType<typeof presentConversation>;

/** Returns a conversation with its defaults. `toolAs` completes a tool's definition. */
export function presentConversation(
  { id, config, metadata, activeTurnId, forkedFrom, forkedRound, createdAt, expiresAt }: Conversation,
  toolAs: (given: GivenTool) => Tool,
) {
  return {
    id,
    object: 'conversation' as const,
    agent: config.agent ?? null,
    variables: config.variables ?? null,
    ...showGiven(config),
    tools: (config.tools ?? []).map((tool) => (typeof tool === 'string' || isHosted(tool) ? tool : toolAs(tool))),
    limits: fillLimits(config.limits),
    metadata,
    active_turn_id: activeTurnId,
    forked_from: forkedFrom,
    after_round: forkedRound && Math.max(0, forkedRound),
    created_at: iso(createdAt),
    expires_in_seconds: config.expires_in_seconds ?? null,
    expires_at: expiresAt && iso(expiresAt),
  };
}

type ShownConfig = {
  [Name in ConfigName]:
    | StoredValue<Name>
    | ((typeof configFields)[Name] extends { inConversation: null } ? null : never);
};

function showGiven(config: StandingConfig): ShownConfig {
  const shown = mapFields(({ byDefault, inConversation = byDefault }, name) => config[name] ?? inConversation);
  // The schemas of the list have checked the values.
  return shown as ShownConfig;
}
