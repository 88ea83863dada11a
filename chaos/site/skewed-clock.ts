// Loaded into each worker of a run: at SIGUSR2 its wall clock jumps by PAWL_CHAOS_SKEW_MS, at the next one back again.
// What counts durations (performance.now, timers) stays as it is, as when somebody sets the clock of a machine.
const skewMs = Number(process.env.PAWL_CHAOS_SKEW_MS ?? 0);
const RealDate = Date;
let shiftMs = 0;

class SkewedDate extends RealDate {
  constructor(...given: unknown[]) {
    // Date tells apart how many arguments it is given; its types cannot say so.
    super(...((given.length === 0 ? [SkewedDate.now()] : given) as []));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

globalThis.Date = SkewedDate as DateConstructor;

process.on('SIGUSR2', () => {
  shiftMs = shiftMs === 0 ? skewMs : 0;
  process.stdout.write(`${JSON.stringify({ msg: 'clock shifted', shiftMs, realTime: RealDate.now() })}\n`);
});
