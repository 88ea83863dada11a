/** Keywords whose check is not one walk over the value: a regular expression, a way in circles, all pairs of a list. */
const SLOW = /"(?:pattern|patternProperties|format|\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)":/;

/** Characters of a schema times characters of a value: what a walk can compare, and still take a millisecond or so. */
const ENOUGH = 4_000_000;

/**
 * Whether holding a value against a schema, both as JSON text, could keep a process busy, so that it wants a bound on its
 * time. Such a bound costs a thread, a hundred times what the check of an ordinary call does.
 */
export function canHang(schema: string, value: string): boolean {
  return SLOW.test(schema) || schema.length * value.length > ENOUGH;
}
