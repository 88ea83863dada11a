import type { DefaultLimits } from '#core/turn/limits.ts';
import type { Conversation, Turn } from '../base/turn.ts';

/** A tool by its definition. A tool that the server runs is named instead. */
export type Tool = { name: string; execution?: { kind: string } | null };

/** The request of a turn. Fields that the form does not show stay as they are. */
export type TurnRequest = {
  model: string;
  input: Turn['input'];
  tools?: (string | Tool)[];
  instructions?: string | null;
  fallback_models?: string[];
  limits?: Record<string, number | null>;
  output_schema?: unknown;
};

/** Fields of a conversation that no request has, and fields that the request fills itself. */
const NOT_ASKED = ['id', 'object', 'model', 'tools', 'active_turn_id', 'created_at', 'turn'];

type Limits = Conversation['limits'];
type LimitWords = { [Name in keyof Limits]: [string, Name extends keyof DefaultLimits ? DefaultLimits[Name] : null] };

const LIMIT_WORDS: LimitWords = {
  max_tool_calls: ['Tool calls', 200],
  max_rounds: ['Rounds with calls', 50],
  max_total_tokens: ['Tokens', null],
  max_cost_usd: ['Cost in US dollars', null],
  deadline_seconds: ['Deadline in seconds', null],
};

/** The limits of a turn, with their labels and their defaults. Null is no limit. */
export const LIMITS = Object.entries(LIMIT_WORDS).map(([name, [label, byDefault]]) => ({ name, label, byDefault }));

/** The defaults of a conversation. A field that is not listed is null by default. */
const PLAIN: Record<string, unknown> = {
  ...{ tool_choice: 'auto', tool_mode: 'native', prompt_cache: 'auto' },
  limits: Object.fromEntries(LIMITS.map(({ name, byDefault }) => [name, byDefault])),
};

/** The request that starts a turn like this turn. It leaves out fields that have their default. */
export function requestOf({ model, input }: Pick<Turn, 'model' | 'input'>, conversation: Conversation): TurnRequest {
  const tools = conversation.tools.map((tool) =>
    typeof tool !== 'string' && tool.execution?.kind === 'server' ? tool.name : tool,
  );
  const kept = Object.entries(conversation).filter(([name]) => !NOT_ASKED.includes(name));
  const given = [...kept, ['tools', tools] as const].filter(([name, value]) => !isPlain(value, PLAIN[name]));
  return { model, ...Object.fromEntries(given), input };
}

/** The name of a tool, whether the request names or defines it. */
export function nameOf(tool: string | Tool): string {
  return typeof tool === 'string' ? tool : tool.name;
}

function isPlain(value: unknown, plain: unknown = null): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === plain;
  return Object.entries(value).every(([key, one]) => one === (Object(plain)[key] ?? null));
}

/** The names that a field for a model offers. A provider without a whole name offers the beginning of its names. */
export function modelNames(providers: { name: string }[]) {
  return providers.map(({ name }) => (name === 'sim' ? 'sim/demo' : `${name}/`));
}
