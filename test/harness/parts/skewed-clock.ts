// Loaded into each part of a run. At SIGUSR2 its wall clock jumps by PAWL_CHAOS_SKEW_MS, at the next SIGUSR2 back
// again. With PAWL_CHAOS_SKEWED=1 the clock is wrong from the start, and the first jump corrects it. Durations
// (performance.now, timers) do not change, as when the clock of a machine is set.
const skewMs = Number(process.env.PAWL_CHAOS_SKEW_MS ?? 0);
const RealDate = Date;
let shiftMs = 0;

class SkewedDate extends RealDate {
  constructor(...args: unknown[]) {
    // The effect of Date depends on the number of its arguments, which its types cannot express.
    super(...((args.length === 0 ? [SkewedDate.now()] : args) as []));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

globalThis.Date = SkewedDate as DateConstructor;

function shift(): void {
  shiftMs = shiftMs === 0 ? skewMs : 0;
  process.stdout.write(`${JSON.stringify({ msg: 'clock shifted', shiftMs, realTime: RealDate.now() })}\n`);
}

process.on('SIGUSR2', shift);
if (process.env.PAWL_CHAOS_SKEWED === '1') shift();
