/**
 * Whether the id of a call is kept as state of its provider. Pawl gives the call another id, or other servers would refuse this
 * one, so only its own provider gets it back. An id longer than 200 characters is not kept.
 */
export function isOddId(id: unknown): id is string {
  return typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id) && !/^[a-zA-Z0-9_-]{1,40}$/.test(id);
}
