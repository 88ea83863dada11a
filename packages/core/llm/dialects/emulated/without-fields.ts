/** Provider options without some fields, at the top and in the objects they hold. */
export function withoutFields(options: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const kept = Object.entries(options).filter(([name]) => !fields.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutOwn(value, fields)]));
}

function withoutOwn(value: unknown, fields: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name)));
}
