import type { DefaultLimits } from '#core/turn/limits.ts';
import type { Conversation, Turn } from '../base/turn.ts';

/** A tool by its definition, or a tool of the provider. Requests name a tool that the server runs instead. */
export type Tool = { name: string; execution?: { kind: string } | null | undefined } | HostedTool;

export type HostedTool = Exclude<Conversation['tools'][number], string | { name: string }>;

/** The request of a turn. The form keeps the fields that it does not show. */
export type TurnRequest = {
  /** Absent if the model is the agent's. */
  model?: string;
  agent?: string;
  variables?: Record<string, string>;
  input: Turn['input'];
  tools?: (string | Tool)[];
  instructions?: string | null;
  fallback_models?: string[];
  limits?: Record<string, number | null>;
  output_schema?: unknown;
};

/** Fields of a conversation that no request has, and fields that the request fills itself. */
const NOT_ASKED = ['id', 'object', 'agent', 'model', 'tools', 'active_turn_id', 'created_at', 'turn'];

type Limits = Conversation['limits'];
type LimitWords = { [Name in keyof Limits]: [string, Name extends keyof DefaultLimits ? DefaultLimits[Name] : null] };

const LIMIT_WORDS: LimitWords = {
  max_tool_calls: ['Tool calls', 200],
  max_rounds: ['Rounds with calls', 50],
  max_total_tokens: ['Tokens', null],
  max_cost_usd: ['Cost in US dollars', null],
  deadline_seconds: ['Deadline in seconds', null],
};

/** The limits of a turn, with their labels and defaults. Null is no limit. */
export const LIMITS = Object.entries(LIMIT_WORDS).map(([name, [label, byDefault]]) => ({ name, label, byDefault }));

/** The defaults of a conversation. An unlisted field is null by default. */
const PLAIN: Record<string, unknown> = {
  ...{ tool_choice: 'auto', tool_mode: 'native', prompt_cache: 'auto' },
  limits: Object.fromEntries(LIMITS.map(({ name, byDefault }) => [name, byDefault])),
};

type Started = Pick<Turn, 'model' | 'input' | 'agent'>;

/** Returns the request that starts an equal turn. Omits fields with their default, and the model of an agent. */
export function requestOf({ model, input, agent }: Started, conversation: Conversation): TurnRequest {
  const tools = conversation.tools.map((tool) =>
    typeof tool !== 'string' && 'name' in tool && tool.execution?.kind === 'server' ? tool.name : tool,
  );
  const kept = Object.entries(conversation).filter(([name]) => !NOT_ASKED.includes(name));
  const given = [...kept, ['tools', tools] as const].filter(([name, value]) => !isPlain(value, PLAIN[name]));
  const isOfAgent = agent !== null && conversation.model === null;
  return {
    ...(agent && { agent: referenceOf(agent, conversation) }),
    ...(isOfAgent ? {} : { model }),
    ...Object.fromEntries(given),
    input,
  };
}

/** Returns the reference that the conversation gives, or else the version of the turn. */
function referenceOf({ name, version }: NonNullable<Turn['agent']>, { agent: given }: Conversation): string {
  return given?.split('@')[0] === name ? given : `${name}@${version}`;
}

/** Returns the name of a tool in a form. A tool of the provider may have the name of another tool, so it differs. */
export function nameOf(tool: string | Tool): string {
  if (typeof tool === 'string') return tool;
  return 'name' in tool ? tool.name : `${tool.type} (run by the provider)`;
}

function isPlain(value: unknown, plain: unknown = null): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === plain;
  return Object.entries(value).every(([key, one]) => one === (Object(plain)[key] ?? null));
}

/** Returns the names that a model field offers. A provider without whole names offers their beginning. */
export function modelNames(providers: { name: string }[]) {
  return providers.map(({ name }) => (name === 'sim' ? 'sim/demo' : `${name}/`));
}
