import { isRecord } from '../../json.ts';
import { mapParts, mapValues, partsOf, recordOf, type Schema } from '../../json-schema/parts.ts';
import { pointerOf, stepsOf } from '../../json-schema/pointer.ts';
import { renameKeys } from './rename-keys.ts';

/** The names of properties that a server accepts. Other characters become `_`. */
export type NameRules = { allowed: RegExp; others: RegExp };

/** The names of properties on the wire, by their own names. Other names stay. */
export type WireNames = ReadonlyMap<string, string>;

/** Finds other names for the properties of a schema that a server would refuse, or returns null if it accepts all. */
export function findWireNames(schema: Schema, { allowed, others }: NameRules): WireNames | null {
  const names = namesIn(schema, new Set());
  const refused = [...names].filter((name) => !allowed.test(name));
  if (refused.length === 0) return null;
  const taken: Taken = { names: new Set(names), numbers: new Map() };
  return new Map(refused.map((name) => [name, freshName(plainName(name, others), taken)]));
}

function namesIn(schema: Schema, names: Set<string>): Set<string> {
  for (const name of Object.keys(recordOf(schema.properties))) names.add(name);
  for (const part of partsOf(schema)) namesIn(part, names);
  return names;
}

const LONGEST = 64;
/** The most characters of a number after a name. */
const NUMBER = 6;

/** Returns an accepted name. Every server accepts a letter or `_` at the start. */
function plainName(name: string, others: RegExp): string {
  const plain = name
    .normalize('NFKC')
    .replace(others, '_')
    .replace(/^(?=[^a-zA-Z_])/, '_')
    .slice(0, LONGEST);
  return /[a-zA-Z0-9]/.test(plain) ? plain : 'property';
}

/** The used names, and the last number after each beginning, since many names may become the same. */
type Taken = { names: Set<string>; numbers: Map<string, number> };

function freshName(plain: string, { names, numbers }: Taken): string {
  const beginning = plain.slice(0, LONGEST - NUMBER);
  let number = numbers.get(beginning) ?? 1;
  let fresh = plain;
  while (names.has(fresh)) {
    number += 1;
    fresh = `${beginning}_${number}`;
  }
  numbers.set(beginning, number);
  names.add(fresh);
  return fresh;
}

/** Gives properties their names on the wire. The own name of a renamed property becomes its title, if it has none. */
export function renameProperties(root: Schema, names: WireNames): Schema {
  const rename = (name: string) => names.get(name) ?? name;
  const renameAll = (value: unknown) =>
    Array.isArray(value) ? value.map((name) => (typeof name === 'string' ? rename(name) : name)) : value;
  const visit = (schema: Schema): Schema => {
    const renamed = mapValues(mapParts(withData(schema), visit), (value, keyword) => {
      if (keyword === 'required' || keyword === 'propertyOrdering') return renameAll(value);
      if (keyword === '$ref') return renameSteps(value, rename);
      if (!NAMED.has(keyword) || !isRecord(value)) return value;
      const entries = Object.entries(value).map(([name, part]) => [rename(name), renameAll(titled(name, part))]);
      return Object.fromEntries(entries);
    });
    return hasRenamed(schema) ? without('propertyNames', renamed) : renamed;
  };
  const hasRenamed = ({ properties }: Schema) => Object.keys(recordOf(properties)).some((name) => names.has(name));
  const titled = (name: string, part: unknown) =>
    names.has(name) && isRecord(part) && part.title === undefined ? { title: name, ...part } : part;
  const withData = (schema: Schema) =>
    mapValues(schema, (value, keyword) =>
      DATA.has(keyword) ? renameData(value, { keyword, schema, root, names }) : value,
    );
  return visit(root);
}

/** Keywords with names of properties as their keys, and keywords with data. */
const NAMED = new Set(['properties', 'dependentRequired', 'dependentSchemas', 'dependencies']);
const DATA = new Set(['default', 'const', 'enum', 'examples']);

type Data = { keyword: string; schema: Schema; root: Schema; names: WireNames };

function renameData(value: unknown, { keyword, schema, root, names }: Data): unknown {
  const isList = keyword === 'enum' || keyword === 'examples';
  if (!isList) return renameKeys(value, { schema, root, names });
  return Array.isArray(value) ? value.map((each) => renameKeys(each, { schema, root, names })) : value;
}

function renameSteps(reference: unknown, rename: (name: string) => string): unknown {
  const steps = stepsOf(reference);
  if (steps === null) return reference;
  const renamed = steps.map((step, at) => (isName(steps, at) ? rename(step) : step));
  return renamed.join('/') === steps.join('/') ? reference : pointerOf(renamed);
}

/** Returns whether a step is the name of a property: after `properties`, unless that is itself a name. */
function isName(steps: string[], at: number): boolean {
  const isKeyword = (place: number): boolean => place >= 0 && NAMED.has(steps[place] ?? '') && !isName(steps, place);
  return isKeyword(at - 1);
}

function without(keyword: string, { [keyword]: _, ...rest }: Schema): Schema {
  return rest;
}
