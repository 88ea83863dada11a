/** The names that a field for a model offers. A provider without a whole name offers the beginning of its names. */
export function modelNames(providers: { name: string }[]) {
  return providers.map(({ name }) => (name === 'sim' ? 'sim/demo' : `${name}/`));
}
