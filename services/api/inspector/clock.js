/** How far the server's clock is ahead of this one, in ms, by the latest word of it; null before the first. */
let aheadMs = /** @type {number | null} */ (null);

/**
 * Hears what time it was on the server a moment ago: a time a bit old is older than one just told.
 * @param {string | null | undefined} time
 */
export function hearTime(time) {
  const at = Date.parse(time ?? '');
  if (!Number.isNaN(at)) aheadMs = Math.max(aheadMs ?? Number.NEGATIVE_INFINITY, at - Date.now());
}

/** The time on the server, in ms since 1970. */
export function serverNow() {
  return Date.now() + (aheadMs ?? 0);
}
