/** Keeps the thread busy for some milliseconds, as costly work does. */
export function keepBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
