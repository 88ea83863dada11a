/** What a text is as JSON; undefined where it is none. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON object that a text is; null where it is anything else. */
export function jsonObject(text: string): Record<string, unknown> | null {
  const value = jsonValue(text);
  return isObject(value) ? value : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
