/** What is wrong, if it is; problems of a request are a list of sentences. */
export function unless(isRight: boolean, problem: string): string[] {
  return isRight ? [] : [problem];
}

/** What comes more than once. */
export function repeated<Item>(items: Item[]): Item[] {
  return items.filter((item, index) => items.indexOf(item) !== index);
}

/** Whether a value is an object, as JSON has them. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a text is a JSON object. */
export function isObjectText(text: unknown): boolean {
  try {
    return isObject(JSON.parse(String(text)));
  } catch {
    return false;
  }
}

/** Whether a value is text with more than white space in it. */
export function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
