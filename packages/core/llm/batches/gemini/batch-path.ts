/** Returns whether a name of a batch is safe as a part of a URL's path: `batches/abc123`. */
export function isBatchName(name: string): boolean {
  return /^batches\/[\w.-]+$/.test(name) && !name.includes('..');
}

/** Returns the path of a batch by its name. Another name leads to no batch. */
export function batchPath(name: string): string {
  return isBatchName(name) ? `/${name}` : '/batches/unknown';
}
