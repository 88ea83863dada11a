/** Headers by their lower-case names. */
export type HeadersByName = Readonly<Record<string, string>>;

type Headed = { headers?: HeadersByName | undefined };

/** Returns the headers of a request. The operator's headers override Pawl's, and the turn's headers override both. */
export function mergeHeaders(own: HeadersByName, operator: Headed, turn: Headed = {}): Record<string, string> {
  return { ...own, ...operator.headers, ...turn.headers };
}

/** Shorter values are words that sentences may contain. */
const SHORTEST = 8;

/** Matches the name of a header that has a key as its value, alone or after a word such as `Bearer`. */
const KEY_NAMES = /auth|key|token|secret|password|cookie/i;

/** Returns the header values to redact in quotations of a provider, the longest first. */
export function secretsIn(headers: HeadersByName = {}): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    KEY_NAMES.test(name) ? [value, ...value.split(/[\s;,=]+/)] : [value],
  );
  const trimmed = values.map((value) => value.trim());
  // A server may quote its request as JSON.
  const escaped = trimmed.map((value) => JSON.stringify(value).slice(1, -1));
  return [...new Set([...trimmed, ...escaped])]
    .filter(({ length }) => length >= SHORTEST)
    .toSorted((one, other) => other.length - one.length);
}
