import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tightenTool } from '#core/tools/define/tighten.ts';
import { fillTool, type GivenTool, type RateLimit, type Tool, type TurnTool } from '#core/turn/request/tool.ts';

const effects = ['none', 'idempotent', 'at_most_once'] as const;
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const schema = fc.record({
  type: fc.constant('object'),
  properties: fc.dictionary(fc.string(), fc.constant({ type: 'string' })),
});

/** A definition that may lack any of its fields. */
const given: fc.Arbitrary<GivenTool> = fc.record({
  type: fc.constant('function' as const),
  name: fc.constantFrom('pay', 'read'),
  description: maybe(fc.string()),
  parameters: maybe(schema),
  execution: fc.constant({ kind: 'server' as const }),
  effect: maybe(fc.constantFrom(...effects)),
  timeout_ms: maybe(fc.integer({ min: 1, max: 3_600_000 })),
  retry: maybe(fc.record({ max_attempts: maybe(fc.integer({ min: 1, max: 10 })), backoff_ms: maybe(fc.nat(60_000)) })),
  approval: maybe(fc.constantFrom('never' as const, 'always' as const)),
  expires_in_seconds: maybe(fc.option(fc.integer({ min: 1, max: 1000 }))),
  cache_ttl_seconds: maybe(fc.nat(1000)),
  rate_limit: maybe(fc.record({ max: fc.integer({ min: 1, max: 5 }), per_seconds: fc.integer({ min: 1, max: 5 }) })),
  capabilities: maybe(fc.subarray(['network', 'filesystem', 'database', 'shell'] as const).map((list) => [...list])),
  status_text: maybe(fc.string()),
});

test('a tightened tool is at least as strict as both of its definitions', () => {
  fc.assert(
    fc.property(given, given, (operators, requested) => {
      const operator = fillTool(operators);
      const own = fillTool(requested, operator);

      const tightened = tightenTool(operator, own);

      expect(looserFields(tightened, operator)).toEqual([]);
      expect(looserFields(tightened, own)).toEqual([]);
      expect([tightened.name, tightened.description]).toEqual([own.name, own.description]);
    }),
    { numRuns: 2_000 },
  );
});

test('a definition with only a name equals the definition of the operator', () => {
  fc.assert(
    fc.property(given, (operators) => {
      const operator = fillTool(operators);

      const tightened = tightenTool(operator, fillTool({ type: 'function', name: operator.name }, operator));

      expect(looserFields(tightened, operator)).toEqual([]);
      expect({ ...tightened, cache_ttl_seconds: 0 }).toEqual({ ...operator, cache_ttl_seconds: 0 });
    }),
  );
});

/** Returns the rules in which a tool is looser than the tool that it replaces. */
function looserFields(tool: TurnTool, than: Tool): string[] {
  const schemas = [tool.parameters, tool.operator?.parameters];
  const limits = [tool.rate_limit, tool.operator?.rate_limit];
  const isStrict = {
    effect: effects.indexOf(tool.effect) >= effects.indexOf(than.effect),
    approval: tool.approval === 'always' || than.approval === 'never',
    timeout_ms: tool.timeout_ms <= than.timeout_ms,
    max_attempts: tool.retry.max_attempts <= than.retry.max_attempts,
    backoff_ms: tool.retry.backoff_ms >= than.retry.backoff_ms,
    expires_in_seconds: end(tool) <= end(than),
    cache_ttl_seconds: tool.cache_ttl_seconds <= than.cache_ttl_seconds,
    capabilities: than.capabilities.every((needed) => tool.capabilities.includes(needed)),
    parameters: schemas.some((one) => JSON.stringify(one) === JSON.stringify(than.parameters)),
    rate_limit: than.rate_limit === null || limits.some((one) => isSame(one, than.rate_limit)),
  };
  return Object.entries(isStrict).flatMap(([field, holds]) => (holds ? [] : [field]));
}

function end({ expires_in_seconds: seconds }: Tool): number {
  return seconds ?? Number.POSITIVE_INFINITY;
}

function isSame(one: RateLimit | null | undefined, other: RateLimit | null): boolean {
  return one?.max === other?.max && one?.per_seconds === other?.per_seconds;
}
