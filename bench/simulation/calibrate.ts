import type { Figures } from '../measure.ts';
import { type Arrivals, type Costs, type Deployment, type ProgramName, programs } from './deployment.ts';
import { type Simulated, simulate } from './simulate.ts';

/** What was measured, and of what. */
export type Point = { deployment: Deployment; arrivals: Arrivals; figures: Figures };

/** Costs that make a turn alone and one in company cost what they did. */
export type Calibration = { costs: Costs; alone: Simulated; inCompany: Simulated };

const PASSES = 5;

/**
 * Finds the costs of each program from its CPU in two measurements. Alone, each piece of work is a batch of its own; in
 * company, many share one: so the two tell what a batch costs and what a piece. How many share one is simulated, and
 * depends on the costs, so this is repeated.
 */
export function calibrate(alone: Point, inCompany: Point): Calibration {
  let costs = costsOf((name) => ({ batchMs: 0, itemMs: (inCompany.figures.cpuMs[name] ?? 0) / 10 }));
  for (let pass = 1; ; pass += 1) {
    const simulated = { alone: simulateMeasured(alone, costs), inCompany: simulateMeasured(inCompany, costs) };
    if (pass > PASSES) return { costs, ...simulated };
    costs = costsOf((name) =>
      solve(
        { ...countsOf(simulated.alone, name), cpuMs: measuredCpu(alone.figures, name) },
        { ...countsOf(simulated.inCompany, name), cpuMs: measuredCpu(inCompany.figures, name) },
      ),
    );
  }
}

function costsOf(find: (name: ProgramName) => { batchMs: number; itemMs: number }): Costs {
  return Object.fromEntries(programs.map((name) => [name, find(name)])) as Costs;
}

/** The CPU of a turn in all processes of a name: `worker`, `worker-2` … */
export function measuredCpu({ cpuMs }: Pick<Figures, 'cpuMs'>, name: ProgramName): number {
  return Object.entries(cpuMs)
    .filter(([process]) => process === name || process.startsWith(`${name}-`))
    .reduce((sum, [, ms]) => sum + ms, 0);
}

type Used = { batches: number; items: number; cpuMs: number };

function countsOf({ batches, items }: Simulated, name: ProgramName): Omit<Used, 'cpuMs'> {
  return { batches: batches[name] ?? 0, items: items[name] ?? 0 };
}

/** Two lines, `cpu = batches × batchMs + items × itemMs`; neither cost is below zero. */
function solve(alone: Used, inCompany: Used): { batchMs: number; itemMs: number } {
  const { batches, items, cpuMs } = inCompany;
  if (items === 0) return { batchMs: 0, itemMs: 0 };
  const batchMs = Math.max(0, (alone.cpuMs - cpuMs) / Math.max(alone.batches - batches, Number.EPSILON));
  const itemMs = (cpuMs - batchMs * batches) / items;
  return itemMs > 0 ? { batchMs, itemMs } : { batchMs: cpuMs / batches, itemMs: 0 };
}

const SLOWEST = 0.02;
const HALVINGS = 7;

/**
 * Simulates what was measured, on cores as slow as they were for it: others may have worked on the machine. How long the threads
 * waited for a core, the kernel has counted; the simulation gets the speed at which its own wait as long.
 */
export function simulateMeasured({ deployment, arrivals, figures }: Point, costs: Costs): Simulated {
  const { machine } = deployment;
  const at = (speed: number) => {
    const slowed = machine.kind === 'shared' ? { ...machine, speed } : machine;
    return simulate({ ...deployment, machine: slowed }, costs, arrivals);
  };
  const asIs = at(1);
  if (!(asIs.stretch < figures.stretch)) return asIs;
  let [slow, fast] = [SLOWEST, 1];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = Math.sqrt(slow * fast);
    if (at(middle).stretch > figures.stretch) slow = middle;
    else fast = middle;
  }
  return at(Math.sqrt(slow * fast));
}
