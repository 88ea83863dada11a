/**
 * What a field for a model offers: a whole name where there is one, else the beginning of the names of each provider.
 * @param {{ name: string }[]} providers as `GET /v1/models` lists them
 */
export function modelNames(providers) {
  return providers.map(({ name }) => (name === 'sim' ? 'sim/demo' : `${name}/`));
}
