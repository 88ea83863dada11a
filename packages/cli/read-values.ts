import { InvalidArgumentError } from 'commander';

export function readValues(list: string): string[] {
  return list.split(',').map((value) => value.trim());
}

/** Returns a reader of comma-separated values that rejects unknown values. */
export function readKnownValues<Known extends string>(known: readonly Known[]): (list: string) => Known[] {
  return (list) =>
    readValues(list).map((given) => {
      const value = known.find((each) => each === given);
      if (!value) throw new InvalidArgumentError(`Use ${known.join(', ')}.`);
      return value;
    });
}

/** Adds a pair, written `key=value`, to the pairs before. */
export function readPairs(pair: string, before: Record<string, string> = {}): Record<string, string> {
  const end = pair.indexOf('=');
  if (end < 1) throw new InvalidArgumentError('Write key=value.');
  return { ...before, [pair.slice(0, end)]: pair.slice(end + 1) };
}

/** Returns a reader of whole numbers of at most ten digits. */
export function readNumberFrom(least: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,10}$/.test(text) || Number(text) < least)
      throw new InvalidArgumentError(`Give a whole number from ${least}.`);
    return Number(text);
  };
}

export function readIdWith(prefix: string): (text: string) => string {
  return (text) => {
    if (!text.startsWith(prefix)) throw new InvalidArgumentError(`Give an id that begins with ${prefix}.`);
    return text;
  };
}

/** Reads a JSON object. Returns null for any other text. */
export function readObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    // An object that is not a list has names and values.
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
