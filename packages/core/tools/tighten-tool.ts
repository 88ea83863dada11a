import { isDeepStrictEqual } from 'node:util';
import type { Tool, ToolEffect, TurnTool } from '../turn/tool.ts';

/** From what may be repeated at will to what may not be repeated. */
const EFFECTS: readonly ToolEffect[] = ['none', 'idempotent', 'at_most_once'];

/**
 * An operator's tool under a caller's definition of it: in each rule the tighter of the two. Where both rules hold side by
 * side, schemas and rate limits, the caller's stands in its field and the operator's in `operator`. How the tool is named
 * and described is the caller's word alone.
 */
export function tightenTool(operator: Tool, asked: Tool): TurnTool {
  const effect = stricterEffect(operator, asked);
  return {
    ...asked,
    effect,
    timeout_ms: Math.min(operator.timeout_ms, asked.timeout_ms),
    retry: {
      max_attempts: Math.min(operator.retry.max_attempts, asked.retry.max_attempts),
      backoff_ms: Math.max(operator.retry.backoff_ms, asked.retry.backoff_ms),
    },
    approval: operator.approval === 'always' ? 'always' : asked.approval,
    expires_in_seconds: shorter(operator.expires_in_seconds, asked.expires_in_seconds),
    cache_ttl_seconds: effect === 'none' ? Math.min(operator.cache_ttl_seconds, asked.cache_ttl_seconds) : 0,
    capabilities: [...new Set([...operator.capabilities, ...asked.capabilities])],
    rate_limit: asked.rate_limit ?? operator.rate_limit,
    ...besides(operator, asked),
  };
}

function stricterEffect(...tools: Tool[]): ToolEffect {
  return EFFECTS[Math.max(...tools.map(({ effect }) => EFFECTS.indexOf(effect)))] ?? 'at_most_once';
}

function shorter(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** What the operator's definition says otherwise than the caller's. */
function besides(operator: Tool, asked: Tool): Pick<TurnTool, 'operator'> {
  const { parameters, rate_limit } = operator;
  const isOtherRate = rate_limit && asked.rate_limit && !isDeepStrictEqual(rate_limit, asked.rate_limit);
  const rules = {
    ...(isDeepStrictEqual(parameters, asked.parameters) ? {} : { parameters }),
    ...(isOtherRate ? { rate_limit } : {}),
  };
  return Object.keys(rules).length > 0 ? { operator: rules } : {};
}
