/** @import { DefaultLimits } from '#core/turn/limits.ts' */
/** @import { TurnResource } from '#core/turn/resource/turn.ts' */

/** @typedef {{ name: string, execution?: { kind: string } | null }} Tool */
/** @typedef {{ model: string, input: TurnResource['input'], tools?: (string | Tool)[], instructions?: string | null }} TurnRequest */

/**
 * The standing configuration of a turn's conversation, which is the turn's own unless it was given others.
 * @typedef {{ fallback_models: string[], instructions: string | null, tools: Tool[], tool_choice: unknown, tool_mode: string,
 *   limits: Record<string, number | null>, allowed_capabilities: string[] | null, webhook: unknown,
 *   metadata: Record<string, string> }} Conversation
 */

/** What a conversation has where its caller gave nothing. A limit that is not listed is null by default. */
const PLAIN = {
  tool_choice: 'auto',
  tool_mode: 'native',
  limits: /** @satisfies {DefaultLimits} */ ({ max_tool_calls: 200, max_rounds: 50 }),
};

/**
 * The request that starts a turn like this one; what is as it would be anyway is left out.
 * @param {TurnResource} turn
 * @param {Conversation} conversation
 * @returns {TurnRequest}
 */
export function requestOf({ model, input }, conversation) {
  const { fallback_models, instructions, tool_choice, tool_mode, limits } = conversation;
  const { allowed_capabilities, webhook, metadata } = conversation;
  const tools = conversation.tools.map((tool) => (tool.execution?.kind === 'server' ? tool.name : tool));
  const asked = { fallback_models, instructions, tools, tool_choice, tool_mode, limits };
  const given = { ...asked, allowed_capabilities, webhook, metadata };
  const said = Object.entries(given).filter(([name, value]) => !isPlain(name, value));
  return { model, ...Object.fromEntries(said), input };
}

/**
 * The name of a tool, whether it is given by it or by its definition.
 * @param {string | Tool} tool
 */
export function nameOf(tool) {
  return typeof tool === 'string' ? tool : tool.name;
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function isPlain(name, value) {
  const plain = Object.entries(PLAIN).find(([known]) => known === name)?.[1] ?? null;
  if (typeof value !== 'object' || value === null) return value === null || value === plain;
  const given = Object.entries(value).filter(([key, one]) => one !== (Object(plain)[key] ?? null));
  return given.length === 0;
}
