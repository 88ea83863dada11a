/** Parses a body. Returns undefined if it is not JSON. */
export function jsonOf(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
