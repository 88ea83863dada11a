/** Returns the options of a caller in which each null became undefined, so that no request contains its field. */
export function leaveOutNulls(options: Record<string, unknown>): Record<string, unknown> {
  // Most requests have no options: these cost nothing.
  if (!Object.values(options).includes(null)) return options;
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value ?? undefined]));
}
