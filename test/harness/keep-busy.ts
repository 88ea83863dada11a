/** Keeps the thread busy for so many milliseconds, as costly work does. */
export function keepBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
