import { isDeepStrictEqual } from 'node:util';
import type { Tool, ToolEffect, TurnTool } from '../../turn/request/tool.ts';

const EFFECTS: readonly ToolEffect[] = ['none', 'idempotent', 'at_most_once'];

/**
 * Returns a tool with the stricter of each rule. Both schemas and both rate limits apply. `operator` has the
 * operator's.
 */
export function tightenTool(operator: Tool, requested: Tool): TurnTool {
  const effect = stricterEffect(operator, requested);
  return {
    ...requested,
    effect,
    timeout_ms: Math.min(operator.timeout_ms, requested.timeout_ms),
    retry: {
      max_attempts: Math.min(operator.retry.max_attempts, requested.retry.max_attempts),
      backoff_ms: Math.max(operator.retry.backoff_ms, requested.retry.backoff_ms),
    },
    approval: operator.approval === 'always' ? 'always' : requested.approval,
    expires_in_seconds: shorter(operator.expires_in_seconds, requested.expires_in_seconds),
    cache_ttl_seconds: effect === 'none' ? Math.min(operator.cache_ttl_seconds, requested.cache_ttl_seconds) : 0,
    capabilities: [...new Set([...operator.capabilities, ...requested.capabilities])],
    rate_limit: requested.rate_limit ?? operator.rate_limit,
    ...operatorRules(operator, requested),
  };
}

function stricterEffect(...tools: Tool[]): ToolEffect {
  return EFFECTS[Math.max(...tools.map(({ effect }) => EFFECTS.indexOf(effect)))] ?? 'at_most_once';
}

function shorter(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function operatorRules(operator: Tool, requested: Tool): Pick<TurnTool, 'operator'> {
  const { parameters, rate_limit } = operator;
  const isOtherRate = rate_limit && requested.rate_limit && !isDeepStrictEqual(rate_limit, requested.rate_limit);
  const rules = {
    ...(isDeepStrictEqual(parameters, requested.parameters) ? {} : { parameters }),
    ...(isOtherRate ? { rate_limit } : {}),
  };
  return Object.keys(rules).length > 0 ? { operator: rules } : {};
}
