import { mapParts, partsOf, type Schema } from './parts.ts';
import { pointerOf } from './pointer.ts';

const NOWHERE = 'https://schema.invalid/';

/** Turns references by address (`$id`) or name (`$anchor`) into pointers, if they lead into the schema itself. */
export function localizeReferences(schema: Schema): Schema {
  if (!hasAddresses(schema)) return schema;
  const places = new Map<string, string>();
  notePlaces(schema, { base: NOWHERE, steps: [], places });
  return localize(schema, NOWHERE, places);
}

function hasAddresses(schema: Schema): boolean {
  const isNamed = ['$id', 'id', '$anchor', '$dynamicAnchor'].some((keyword) => typeof schema[keyword] === 'string');
  return isNamed || partsOf(schema).some(hasAddresses);
}

/** Returns the id of a schema, which is `id` in draft 4. */
function idOf({ $id, id }: Schema): string | null {
  if (typeof $id === 'string') return $id;
  return typeof id === 'string' ? id : null;
}

function resolve(address: string, base: string): string | null {
  return URL.parse(address, base)?.href.replace(/#$/, '') ?? null;
}

/** Returns the base address of the parts of a schema. Before 2019, an `$id` that starts with `#` was a name. */
function baseOf(schema: Schema, base: string): string {
  const id = idOf(schema);
  return id === null || id.startsWith('#') ? base : (resolve(id, base) ?? base);
}

type Place = { base: string; steps: string[]; places: Map<string, string> };

/** Notes the pointer for each address and name. The first part with an address counts. */
function notePlaces(schema: Schema, { base: outer, steps, places }: Place): void {
  const base = baseOf(schema, outer);
  const note = (address: string) => void (places.has(address) || places.set(address, pointerOf(steps)));
  if (steps.length === 0) note(outer);
  if (base !== outer) note(withoutFragment(base));
  const id = idOf(schema);
  const names = [schema.$anchor, schema.$dynamicAnchor, id?.startsWith('#') ? id.slice(1) : null];
  for (const name of names) if (typeof name === 'string' && name) note(`${withoutFragment(base)}#${name}`);
  mapParts(schema, (part, more) => notePlaces(part, { base, steps: [...steps, ...more], places }));
}

function withoutFragment(address: string): string {
  return address.split('#', 1)[0] ?? address;
}

function localize(schema: Schema, outer: string, places: ReadonlyMap<string, string>): Schema {
  const base = baseOf(schema, outer);
  const { $id: _, $anchor: __, ...rest } = mapParts(schema, (part) => localize(part, base, places));
  if (typeof rest.id === 'string') Reflect.deleteProperty(rest, 'id');
  const local = typeof rest.$ref === 'string' ? placeOf(rest.$ref, base, places) : null;
  return local === null ? rest : { ...rest, $ref: local };
}

/** Returns the pointer for a reference, or null if it is a pointer already or leads outside the schema. */
function placeOf(reference: string, base: string, places: ReadonlyMap<string, string>): string | null {
  const address = resolve(reference, base);
  if (address === null) return null;
  const named = places.get(address);
  if (named !== undefined) return named;
  const [whole = '', pointer = ''] = address.split('#', 2);
  const place = places.get(whole);
  if (place === undefined || !pointer.startsWith('/')) return null;
  return place === '#' && reference.startsWith('#') ? null : `${place}${pointer}`;
}
