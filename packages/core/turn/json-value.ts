/** What a text is as JSON; undefined where it is none. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deeper nesting can be read but never be written again: whoever walks it runs out of stack. */
const DEEPEST = 100;

/** The JSON object that a text is; null where it is anything else, or nested more than 100 levels deep. */
export function jsonObject(text: string): Record<string, unknown> | null {
  const value = jsonValue(text);
  return isObject(value) && isShallow(value) ? value : null;
}

/** Whether a JSON value can be walked: it is nested no more than 100 levels deep. */
export function isShallow(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
