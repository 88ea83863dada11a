/** Returns the problem in a list, unless the condition holds. */
export function unless(isRight: boolean, problem: string): string[] {
  return isRight ? [] : [problem];
}

/** Returns the items that repeat an earlier item. */
export function repeated<Item>(items: Item[]): Item[] {
  return items.filter((item, index) => items.indexOf(item) !== index);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isObjectText(text: unknown): boolean {
  try {
    return isObject(JSON.parse(String(text)));
  } catch {
    return false;
  }
}

/** Returns whether a value is text with more than white space. */
export function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
