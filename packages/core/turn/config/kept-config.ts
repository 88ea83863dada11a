import type { z } from 'zod';
import { type ConfigName, type configFields, mapFields } from './config-fields.ts';

type Fields = typeof configFields;
type NamesKept<Kept> = { [Name in ConfigName]: Fields[Name]['kept'] extends Kept ? Name : never }[ConfigName];

/** The value of a given field. */
type ConfigValue<Name extends ConfigName> = z.output<Fields[Name]['schema']>;

/** The stored value of a field: null if it has no value and no other default. */
export type StoredValue<Name extends ConfigName> = ConfigValue<Name> | Extract<Fields[Name]['byDefault'], null>;

/** The part of a turn's configuration that follows from the list of fields alone. */
export type KeptConfig = { [Name in NamesKept<'always'>]: StoredValue<Name> } & {
  [Name in NamesKept<'given'>]?: ConfigValue<Name>;
};

/** Returns the stored values of the fields without their own rule. */
export function keepConfig(given: { [Name in ConfigName]?: unknown }): KeptConfig {
  const kept = mapFields(({ kept, byDefault }, name) => {
    const value = given[name] ?? byDefault;
    const isLeftOut = kept === 'own' || (kept === 'given' && JSON.stringify(value) === JSON.stringify(byDefault));
    return isLeftOut ? [] : [[name, value]];
  });
  // The schemas of the list have checked the values.
  return Object.fromEntries(Object.values(kept).flat()) as KeptConfig;
}

type SamplingName = { [Name in ConfigName]: Fields[Name] extends { group: 'sampling' } ? Name : never }[ConfigName];

/** Values of fields in the shape of a turn's configuration: some are in `sampling`. */
type GroupedConfig<Values> = Omit<Values, SamplingName> & {
  sampling: Pick<Values, SamplingName & keyof Values>;
};

/** Groups values of fields. The group has the position of its first field. */
export function groupConfig<Values extends { [Name in ConfigName]?: unknown }>(values: Values): GroupedConfig<Values> {
  const grouped: Record<string, unknown> = {};
  mapFields(({ group }, name) => {
    if (!(name in values)) return;
    if (!group) grouped[name] = values[name];
    else grouped[group] = { ...(grouped[group] ?? {}), [name]: values[name] };
  });
  return grouped as GroupedConfig<Values>;
}
