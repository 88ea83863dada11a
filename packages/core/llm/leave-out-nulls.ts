/** Returns a caller's options with undefined in place of each null, so that the request omits the field. */
export function leaveOutNulls(options: Record<string, unknown>): Record<string, unknown> {
  // Most requests have no options and need no copy.
  if (!Object.values(options).includes(null)) return options;
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value ?? undefined]));
}

type Given<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

/** Returns the fields that are not null. */
export function givenFields<Fields extends Record<string, unknown>>(fields: Fields): Given<Fields> {
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  // The names and the values are those of the fields.
  return Object.fromEntries(given) as Given<Fields>;
}
