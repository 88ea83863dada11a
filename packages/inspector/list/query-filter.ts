import type { BulkRequest } from '#client/connect-pawl.ts';

/** Returns the query of a list's first page with a changed parameter, or without it if the value is empty. */
export function queryWith(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const changed = new URLSearchParams(query);
  changed.delete('cursor');
  if (value === '') changed.delete(name);
  else changed.set(name, value);
  return changed;
}

/** Returns the statuses that a list shows, or no status if it shows all. */
export function statusesOf(query: URLSearchParams): string[] {
  return (query.get('status') ?? '').split(',').filter(Boolean);
}

/** Returns the parameters that restrict a list, except its statuses. */
export function filterOf(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => !['status', 'cursor', 'limit'].includes(name)));
}

/** Returns the metadata key that a parameter names: `customer` for `metadata[customer]`. */
export function metadataKeyOf(name: string): string | undefined {
  return /^metadata\[(.*)\]$/.exec(name)?.[1];
}

/** Returns the filter of a list as the body of a bulk request. */
export function bulkFilterOf(query: URLSearchParams): BulkRequest['filter'] {
  const filter: Record<string, string> = {};
  const metadata: Record<string, string> = {};
  for (const [name, value] of query) {
    const key = metadataKeyOf(name);
    if (key !== undefined) metadata[key] = value;
    else if (name !== 'cursor' && name !== 'limit') filter[name] = value;
  }
  return Object.keys(metadata).length > 0 ? { ...filter, metadata } : filter;
}
