import { readdirSync, readFileSync } from 'node:fs';
import type { Surroundings } from './installation.ts';
import type { Recorded } from './recorded.ts';
import { distanceToAnHourAgo, shiftMoments } from './shift-moments.ts';

/** A release with a dump of its tables as lines of JSON, moved to an hour ago. */
export type Release = { dump: string; recorded: Recorded };

export const RELEASES = new URL('./releases/', import.meta.url);

/** Lists the versions of Pawl that have a dump. */
export function listReleases(): string[] {
  return readdirSync(RELEASES).flatMap((file) => /^(.*)\.jsonl$/.exec(file)?.[1] ?? []);
}

/** Reads a release as if it had stopped an hour ago, beside the given servers. */
export function readRelease(version: string, surroundings: Surroundings): Release {
  const [dump, recorded] = ['jsonl', 'json'].map((ending) =>
    readFileSync(new URL(`${version}.${ending}`, RELEASES), 'utf8'),
  ) as [string, string];
  const { dumpedAt } = JSON.parse(recorded) as Recorded;
  return moveRelease({ dump, recorded, byMs: distanceToAnHourAgo(dumpedAt) }, surroundings);
}

/** Moves a dump and its record by a distance in ms, and beside the given servers. */
export function moveRelease(
  { dump, recorded, byMs }: { dump: string; recorded: string; byMs: number },
  surroundings: Surroundings,
): Release {
  const [movedDump, moved] = [dump, recorded].map((text) => {
    const named = hostsOf(surroundings).reduce((left, [host, name]) => left.replaceAll(name, host), text);
    return shiftMoments(named, byMs);
  }) as [string, string];
  return { dump: movedDump, recorded: JSON.parse(moved) };
}

/** Replaces the addresses of servers by names, so that later servers can have these names. */
export function nameServers(text: string, surroundings: Surroundings): string {
  return hostsOf(surroundings).reduce((left, [host, name]) => left.replaceAll(host, name), text);
}

function hostsOf({ tools, receiver }: Surroundings): [host: string, name: string][] {
  return [
    [new URL(tools.url).host, 'tools.test'],
    [new URL(receiver.url).host, 'receiver.test'],
  ];
}
