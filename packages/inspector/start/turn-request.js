/** @import { DefaultLimits } from '#core/turn/limits.ts' */
/** @import { TurnResource } from '#core/turn/resource/turn.ts' */

/** @typedef {{ name: string, execution?: { kind: string } | null }} Tool */
/** @typedef {{ model: string, input: TurnResource['input'], tools?: (string | Tool)[], instructions?: string | null }} TurnRequest */

/**
 * The standing configuration of a turn's conversation, which is the turn's own unless it was given others.
 * @typedef {Record<string, unknown> & { tools: Tool[] }} Conversation
 */

/** What a conversation shows beside its configuration, and the field that is made anew. */
const NOT_ASKED = ['id', 'object', 'model', 'tools', 'active_turn_id', 'created_at', 'turn'];

/** What a conversation has where its caller gave nothing. A limit that is not listed is null by default. */
const PLAIN = {
  tool_choice: 'auto',
  tool_mode: 'native',
  prompt_cache: 'auto',
  limits: /** @satisfies {DefaultLimits} */ ({ max_tool_calls: 200, max_rounds: 50 }),
};

/**
 * The request that starts a turn like this one; what is as it would be anyway is left out.
 * @param {TurnResource} turn
 * @param {Conversation} conversation
 * @returns {TurnRequest}
 */
export function requestOf({ model, input }, conversation) {
  const tools = conversation.tools.map((tool) => (tool.execution?.kind === 'server' ? tool.name : tool));
  const standing = Object.entries(conversation).filter(([name]) => !NOT_ASKED.includes(name));
  const said = [...standing, ['tools', tools]].filter(([name, value]) => !isPlain(String(name), value));
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
