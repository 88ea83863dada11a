import { isRecord } from '../../../json.ts';

/** Shorter values are words or numbers that sentences may well contain. */
const SHORTEST = 8;

/** What variables are named that packages read keys from. */
const SECRET = /key|token|secret|password|credential/i;

/**
 * Makes unreadable in a text what an operator configured for a package: each of its options but URLs, and the variables
 * with a name of secrets, which packages read themselves.
 */
export function hideOptions(options: unknown, env: Record<string, string | undefined>): (text: string) => string {
  const variables = Object.entries(env).flatMap(([name, value]) => (SECRET.test(name) && value ? [value.trim()] : []));
  const all = [...textsIn(options).filter((text) => !/^https?:/.test(text)), ...variables];
  // A longer one may hold a shorter one.
  const hidden = all.filter(({ length }) => length >= SHORTEST).toSorted((one, other) => other.length - one.length);
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

/** Every text in a value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}
