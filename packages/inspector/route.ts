/** The address: a page, the id that it shows, and its parameters. */
export type Route = { page: Page; id: string; query: URLSearchParams };

type Page = (typeof PAGES)[number] | 'turn' | 'conversation' | 'agent';

const PAGES = ['turns', 'conversations', 'compare', 'agents', 'schedules', 'new', 'overview', 'workers'] as const;

/** Reads the part of the address after `#`. An unknown address is the list of turns. */
export function readRoute(hash: string): Route {
  const [path = '', search] = hash.replace(/^#\/?/, '').split('?');
  const [first, id] = path.split('/');
  const query = new URLSearchParams(search);
  if (first === 'turns' && id) return { page: 'turn', id: turnIdOf(id), query };
  if (first === 'conversations' && id) return { page: 'conversation', id, query };
  if (first === 'agents' && id) return { page: 'agent', id, query };
  return { page: PAGES.find((page) => page === first) ?? 'turns', id: '', query };
}

/** Returns the turn id of a response or its item, which has the same characters. Returns any other id unchanged. */
export function turnIdOf(id: string) {
  return id.replace(/^(?!turn_)[a-z]+_([0-9a-z]{26})(?:_[ir]\d.*)?$/, 'turn_$1');
}

export function turnHref(id: string) {
  return `#/turns/${encodeURIComponent(id)}`;
}

export function conversationHref(id: string) {
  return `#/conversations/${encodeURIComponent(id)}`;
}

/** Returns the address of an agent, by its id or name, with a version: the current version by default. */
export function agentHref(idOrName: string, version: number | null = null) {
  const path = `#/agents/${encodeURIComponent(idOrName)}`;
  return version === null ? path : `${path}?version=${version}`;
}

/** Returns the address of the agent that a reference names, such as `support@7`. A label is the current version. */
export function hrefOfReference(reference: string) {
  const [name = '', version] = reference.split('@');
  return agentHref(name, /^\d+$/.test(version ?? '') ? Number(version) : null);
}

export function compareHref(left: string, right: string) {
  return `#/compare?${new URLSearchParams({ left, right })}`;
}

export function listHref(filter: Record<string, string>) {
  return queryHref(new URLSearchParams(filter));
}

/** Returns the address of a page with this query. Brackets, commas and signs stay legible. */
export function queryHref(query: URLSearchParams, section: 'turns' | 'conversations' | 'overview' = 'turns') {
  const text = query
    .toString()
    .replaceAll('%2C', ',')
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']')
    .replaceAll('%3A', ':')
    .replaceAll('%40', '@');
  return text ? `#/${section}?${text}` : `#/${section}`;
}
