import type { Figures } from '../measure.ts';
import { percentile } from '../percentile.ts';
import { printTable } from '../report/print-table.ts';
import type { Results } from '../report/summarize.ts';
import { type Calibration, calibrate, measuredCpu, type Point, simulateMeasured } from '../simulation/calibrate.ts';
import { programs } from '../simulation/deployment.ts';
import { type Simulated, simulate } from '../simulation/simulate.ts';
import type { CurvePoint } from './points.ts';

/**
 * One point of one try: measured; simulated on cores as slow as they were for it; and `undisturbed`, on the whole machine. Shares are
 * turns a second by those of the reference.
 */
type Compared = {
  point: CurvePoint;
  measured: Rates;
  simulated: Rates;
  undisturbed: Rates;
};

type Rates = { rate: number; share: number; cpuMs: number };

/** What the tries of one queue say: the points, and what the simulation was fed with. */
export type Comparison = { tries: Compared[][]; calibrations: Calibration[] };

/** Simulates each try by its own first two points, and holds all of its points beside it. */
export function compare(points: CurvePoint[], results: Results): Comparison {
  const tries = Math.max(...points.map(({ name }) => results.get(name)?.length ?? 0));
  const each = Array.from({ length: tries }, (_, nth) => compareTry(points, (name) => results.get(name)?.[nth]));
  return { tries: each.map(({ compared }) => compared), calibrations: each.map(({ calibration }) => calibration) };
}

function compareTry(points: CurvePoint[], figuresOf: (name: string) => Figures | undefined) {
  const given = points.flatMap((point) => {
    const figures = figuresOf(point.name);
    return figures ? [{ point, measured: pointOf(point, figures) }] : [];
  });
  const [alone, inCompany] = given;
  if (!alone || !inCompany) throw new Error('The first two points were not measured.');
  const calibration = calibrate(alone.measured, inCompany.measured);
  const played = given.map(({ point, measured }) => ({
    ...{ point, measured: measured.figures, simulated: simulateMeasured(measured, calibration.costs) },
    undisturbed: simulate(measured.deployment, calibration.costs, measured.arrivals),
  }));
  const compared = played.map((each): Compared => {
    const reference = played.find(({ point }) => point.name === each.point.reference) ?? each;
    return {
      point: each.point,
      measured: ratesOf(each.measured, reference.measured),
      simulated: ratesOf(each.simulated, reference.simulated),
      undisturbed: ratesOf(each.undisturbed, reference.undisturbed),
    };
  });
  return { compared, calibration };
}

function pointOf({ deployment, contest }: CurvePoint, figures: Figures): Point {
  const { turns, concurrency } = contest.play;
  return { deployment, arrivals: { kind: 'closed', turns, concurrency }, figures };
}

function ratesOf(one: Figures | Simulated, reference: Figures | Simulated): Rates {
  return {
    rate: one.turnsPerSecond,
    share: one.turnsPerSecond / reference.turnsPerSecond,
    cpuMs: programs.reduce((sum, name) => sum + measuredCpu(one, name), 0),
  };
}

/** The curves in a table, the middle of the tries each. */
export function curvesTable({ tries: [first = [], ...others] }: Comparison): string {
  const heads = ['', 'turns/s', 'simulated', 'error', '÷ reference', 'undisturbed', 'CPU ms', 'simulated', 'error'];
  const rows = first.map(({ point }, index) => {
    const all = [first, ...others].flatMap((compared) => compared[index] ?? []);
    const middle = (read: (compared: Compared) => number) => percentile(all.map(read), 0.5);
    return [
      point.name,
      middle(({ measured }) => measured.rate).toFixed(1),
      middle(({ simulated }) => simulated.rate).toFixed(1),
      percent(middle(rateError)),
      middle(({ measured }) => measured.share).toFixed(2),
      middle(({ undisturbed }) => undisturbed.share).toFixed(2),
      middle(({ measured }) => measured.cpuMs).toFixed(2),
      middle(({ simulated }) => simulated.cpuMs).toFixed(2),
      percent(middle(cpuError)),
    ];
  });
  return printTable(heads, rows);
}

const FED = 2;

/** How far the simulation is off, over all points that it was not fed with: middle and largest, as shares. */
export function errorsOf({ tries }: Comparison) {
  const all = tries.flatMap((compared) => compared.slice(FED));
  const spread = (values: number[]) => ({ middle: percentile(values, 0.5), largest: percentile(values, 1) });
  return {
    rate: spread(all.map(rateError).map(Math.abs)),
    cpu: spread(all.map(cpuError).map(Math.abs)),
  };
}

function rateError({ measured, simulated }: Compared): number {
  return simulated.rate / measured.rate - 1;
}

function cpuError({ measured, simulated }: Compared): number {
  return simulated.cpuMs / measured.cpuMs - 1;
}

function percent(share: number): string {
  return `${share > 0 ? '+' : ''}${(100 * share).toFixed(0)} %`;
}
