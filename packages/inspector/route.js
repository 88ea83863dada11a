/**
 * What the address asks for: a page, the id it is about, and the rest.
 * @typedef {{ page: 'turns' | 'turn' | 'new', id: string, query: URLSearchParams }} Route
 */

/**
 * Reads the part of the address behind `#`; what makes no sense is the list of turns.
 * @param {string} hash
 * @returns {Route}
 */
export function readRoute(hash) {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [first, id] = path.split('/');
  const rest = new URLSearchParams(query);
  if (first === 'new') return { page: 'new', id: '', query: rest };
  if (first === 'turns' && id) return { page: 'turn', id: turnIdOf(id), query: rest };
  return { page: 'turns', id: '', query: rest };
}

/**
 * The turn that an id leads to: that of a response, or of one of its items, has the same characters; any other stays.
 * @param {string} id
 */
export function turnIdOf(id) {
  return id.replace(/^(?!turn_)[a-z]+_([0-9a-z]{26})(?:_[ir]\d.*)?$/, 'turn_$1');
}

/**
 * The address of one turn's page.
 * @param {string} id
 */
export function turnHref(id) {
  return `#/turns/${encodeURIComponent(id)}`;
}

/**
 * The address of a list of turns; what is empty is left out.
 * @param {Record<string, string | null | undefined>} filter
 */
export function listHref(filter) {
  const given = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return given.length > 0 ? `#/turns?${new URLSearchParams(given)}` : '#/turns';
}
