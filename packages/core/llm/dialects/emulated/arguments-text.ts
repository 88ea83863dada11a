/** The arguments of a decided call as JSON text; a model's own where it wrote a text. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value.trim() || '{}';
  return JSON.stringify(value ?? {});
}
