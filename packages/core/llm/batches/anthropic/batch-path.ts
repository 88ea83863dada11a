/** The path of all batches below the version of the API. */
export const BATCHES_PATH = '/messages/batches';

/** Returns the path of a batch. */
export function batchPath(id: string): string {
  return `${BATCHES_PATH}/${encodeURIComponent(id)}`;
}
