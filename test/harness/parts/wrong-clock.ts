/** Returns variables that make a process's wall clock wrong by `ms` before any of its own code runs. */
export function wrongClock(ms: number): Record<string, string> {
  const shift = `const real = Date; const now = real.now.bind(real);
    globalThis.Date = class extends real { constructor(...a) { a.length ? super(...a) : super(now() + ${ms}); } static now() { return now() + ${ms}; } };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}` };
}
