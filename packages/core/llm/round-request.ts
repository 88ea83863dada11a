import type { ToolChoice } from '../turn/config/tool-choice.ts';
import type { Message } from '../turn/message.ts';
import type { RoundStep } from '../turn/next-step.ts';
import { formatFor, needsRepair, withSchema } from '../turn/output/output-schema.ts';
import { leftOutputTokens } from '../turn/reached-limit.ts';
import { Tool } from '../turn/request/tool.ts';
import type { TurnConfig } from '../turn/request/turn.ts';
import { askedTier } from '../turn/tiers/change-tier.ts';
import type { Turn } from '../turn/turn.ts';
import { cachingOf } from './caching.ts';
import type { RequestTimes, RoundRequest } from './provider.ts';
import { splitModel } from './split-model.ts';

/**
 * Returns the request of one round. A required tool is required only in the first round. In a final round and in a
 * repair no tool may be called.
 */
export function roundRequest(turn: Turn, { round, final }: RoundStep, messages: Message[]): RoundRequest {
  const { id, config, rounds, work } = turn;
  const mayCall = !final && !needsRepair({ rounds });
  return {
    round,
    model: splitModel(work.model).model,
    instructions: withSchema(config, work.model),
    messages,
    tools: config.tools,
    ...(config.hosted_tools && { hostedTools: config.hosted_tools }),
    mayCall,
    declaredTools: declareTools(config.tools, messages),
    toolChoice: mayCall ? choiceOf(config, round) : 'none',
    turnChoice: config.tool_choice,
    parallelToolCalls: config.parallel_tool_calls,
    temperature: config.temperature,
    topP: config.top_p ?? null,
    reasoningEffort: config.reasoning_effort ?? null,
    reasoningSummary: config.response?.reasoning.summary ?? null,
    verbosity: config.verbosity ?? null,
    stop: config.stop ?? null,
    seed: config.seed ?? null,
    textFormat: config.text_format ?? formatFor(config, work.model),
    maxOutputTokens: mostOutputTokens({ config, rounds }),
    promptCache: cachingOf(turn),
    serviceTier: sentTier(turn),
    providerOptions: isOwnProvider({ config, work }) ? config.provider_options : {},
    ...(config.provider_headers && { headers: config.provider_headers }),
    ...timesField(config),
    requestId: `${id}.${round}.${work.generation}`,
  };
}

/** Returns the tier that requests of a round name. The batch API itself is the tier `batch`, so no field names it. */
function sentTier(turn: Turn): RoundRequest['serviceTier'] {
  const tier = askedTier(turn);
  return tier === 'batch' ? null : tier;
}

/** Returns the times of a turn's requests, if the turn sets any. */
export function timesField({ model_retry }: Pick<TurnConfig, 'model_retry'>): { times?: RequestTimes } {
  const { timeout_ms, idle_timeout_ms } = model_retry ?? {};
  if (!timeout_ms && !idle_timeout_ms) return {};
  return {
    times: {
      ...(timeout_ms && { timeoutMs: timeout_ms }),
      ...(idle_timeout_ms && { idleTimeoutMs: idle_timeout_ms }),
    },
  };
}

function choiceOf({ tool_choice: choice }: TurnConfig, round: number): ToolChoice {
  return round === 1 || choice === 'none' ? choice : 'auto';
}

/** Returns the smaller of the limit of each round and the rest of the limit of all rounds. */
function mostOutputTokens(turn: Pick<Turn, 'config' | 'rounds'>): number | null {
  const [ofRound, left] = [turn.config.max_output_tokens, leftOutputTokens(turn)];
  return ofRound === null || left === null ? (ofRound ?? left) : Math.min(ofRound, left);
}

/**
 * Returns whether the model has the requested provider. `provider_options` have its words, so no other provider gets
 * them.
 */
function isOwnProvider({ config, work }: Pick<Turn, 'config' | 'work'>): boolean {
  return splitModel(config.model).provider === splitModel(work.model).provider;
}

/** Returns the tools, and a bare declaration for each name that only calls of the history have. */
export function declareTools(tools: Tool[], messages: Message[]): Tool[] {
  const known = new Set(tools.map(({ name }) => name));
  const called = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  const gone = new Set(called.map(({ name }) => name).filter((name) => !known.has(name)));
  return [...tools, ...[...gone].map((name) => Tool.parse({ name, description: 'No longer available.' }))];
}
