import { createHash } from 'node:crypto';

const LONGEST = 64;
const HASH = 8;

/**
 * Gives each tool of a server a name that providers take: `server__tool`, by the tool's own name. Other characters
 * become `_`. A name that is too long, or that another tool has, ends with a hash of the tool's own name. So the same
 * tools get the same names in every process, and a tool with a usable name keeps it.
 */
export function nameTools(server: string, own: readonly string[]): Map<string, string> {
  const names = new Set(own);
  const full = (name: string) => `${server}__${name}`;
  const plain = new Map([...names].map((name) => [name, name.replace(/[^a-zA-Z0-9_-]/g, '_')]));
  const counts = Map.groupBy(plain.values(), (name) => name);
  const isUsable = (name: string, other: string) =>
    /[a-zA-Z0-9]/.test(other) && full(other).length <= LONGEST && isFree(name, other);
  const isFree = (name: string, other: string) =>
    name === other || (counts.get(other)?.length === 1 && !names.has(other));
  return new Map(
    [...plain].map(([name, other]) => [name, full(isUsable(name, other) ? other : hashed(server, name, other))]),
  );
}

function hashed(server: string, name: string, plain: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH);
  const left = LONGEST - `${server}__`.length - HASH - 1;
  return `${plain.slice(0, left)}_${hash}`;
}
