/**
 * What the address asks for: a page, the id it is about, and the rest.
 * @typedef {{ page: 'turns' | 'turn' | 'conversations' | 'conversation' | 'compare' | 'schedules' | 'new' | 'overview' | 'workers', id: string, query: URLSearchParams }} Route
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
  if (first === 'overview' || first === 'workers' || first === 'schedules') return { page: first, id: '', query: rest };
  if (first === 'new') return { page: 'new', id: '', query: rest };
  if (first === 'conversations') return { page: id ? 'conversation' : 'conversations', id: id ?? '', query: rest };
  if (first === 'compare') return { page: 'compare', id: '', query: rest };
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
 * The address of the list of conversations.
 * @param {string | null} cursor where its page begins; null for the newest
 */
export function conversationsHref(cursor) {
  return `#/conversations${cursor === null ? '' : `?${new URLSearchParams({ cursor })}`}`;
}

/**
 * The address of a conversation's page.
 * @param {string} id
 */
export function conversationHref(id) {
  return `#/conversations/${encodeURIComponent(id)}`;
}

/**
 * The address of two turns side by side.
 * @param {string} left
 * @param {string} right
 */
export function compareHref(left, right) {
  return `#/compare?${new URLSearchParams({ left, right })}`;
}

/**
 * The address of a list of turns; what is empty is left out.
 * @param {Record<string, string | null | undefined>} filter
 */
export function listHref(filter) {
  const given = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return queryHref(new URLSearchParams(given));
}

/**
 * The address of a list of turns with this query; brackets and commas stay legible.
 * @param {URLSearchParams} query
 */
export function queryHref(query) {
  const text = query
    .toString()
    .replaceAll('%2C', ',')
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']')
    .replaceAll('%3A', ':');
  return text ? `#/turns?${text}` : '#/turns';
}
