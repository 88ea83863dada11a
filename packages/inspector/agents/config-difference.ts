import type { Agent } from '../base/turn.ts';
import { nameOf } from '../start/turn-request.ts';

type Config = Agent['config'];

/** A field or a tool that differs between two versions. A text is null if the version does not have it. */
export type Difference = { name: string; before: string | null; after: string | null };

/** Returns the fields of two configurations that differ, in their order. Tools are compared by their names. */
export function configDifference(before: Config, after: Config): Difference[] {
  const [old, now] = [textsOf(before), textsOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changed = names
    .map((name) => ({ name, before: old.get(name) ?? null, after: now.get(name) ?? null }))
    .filter((each) => each.before !== each.after);
  return [...changed, ...orderDifference(before, after)];
}

/** Returns the text of each field and of each tool, by its name. */
function textsOf(config: Config): Map<string, string> {
  const { tools, ...fields } = config;
  return new Map([
    ...Object.entries(fields).map(([name, value]) => [name, textOf(value)] as const),
    ...(tools ?? []).map((tool) => [`tool ${nameOf(tool)}`, textOf(tool)] as const),
  ]);
}

/** Returns the order of the tools if only the order differs. */
function orderDifference(before: Config, after: Config): Difference[] {
  const [old = [], now = []] = [before.tools?.map(nameOf), after.tools?.map(nameOf)];
  const isSameSet = old.length === now.length && old.every((name) => now.includes(name));
  if (!isSameSet || old.every((name, at) => name === now[at])) return [];
  return [{ name: 'order of tools', before: old.join('\n'), after: now.join('\n') }];
}

/** Returns a text unchanged, and any other value as JSON with sorted names. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, sortNames, 2);
}

function sortNames(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
