/** Returns the path of a batch. */
export function batchPath(id: string): string {
  return `/batches/${encodeURIComponent(id)}`;
}

/** Returns the path of a file. */
export function filePath(id: string): string {
  return `/files/${encodeURIComponent(id)}`;
}
