import { createHash } from 'node:crypto';
import { Misconfigured } from '#core/failure.ts';
import { isReserved, RESERVED } from '#core/json.ts';

/** The rights of a key. `admin` includes all others, and access across projects. */
export const SCOPES = ['read', 'write', 'approve', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** The scopes of a key for which the operator sets none. */
export const USUAL_SCOPES: Scope[] = ['read', 'write', 'approve'];

/** A key that opens a project. `place` is its path in the settings, such as `PAWL_PROJECTS.web.keys[1]`. */
export type AccessKey = { project: string; key: string; scopes: Scope[]; place: string };

/** Returns the SHA-256 of a key. */
export function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Returns the id of a key: short enough to read out, and too short to derive the key. */
export function keyIdOf(key: string): string {
  return `key_${digestOf(key).toString('hex').slice(0, 8)}`;
}

/** Reads PAWL_API_KEYS: `project:key`, comma-separated. A `Misconfigured` names the path and shows no key. */
export function readApiKeys(text: string | undefined): AccessKey[] {
  return text === undefined ? [] : text.split(',').map(readEntry);
}

function readEntry(entry: string, index: number): AccessKey {
  const place = `PAWL_API_KEYS[${index}]`;
  const [, project, key] = /^\s*([A-Za-z0-9_.-]+):(\S+)\s*$/.exec(entry) ?? [];
  if (project && isReserved(project)) throw new Misconfigured(`${place}: ${RESERVED}.`);
  if (project && key) return { project, key, scopes: USUAL_SCOPES, place };
  throw new Misconfigured(`${place}: PAWL_API_KEYS must be a comma-separated list of project:key.`);
}

/** Throws for a repeated key, since its project or scopes would be ambiguous. */
export function refuseRepeatedKeys(keys: AccessKey[]): void {
  const places = new Map<string, string>();
  for (const { key, place } of keys) {
    const before = places.get(key);
    if (before) throw new Misconfigured(`${place}: this key is also given at ${before}. Give each key once.`);
    places.set(key, place);
  }
}
