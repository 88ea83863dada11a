import { type Bounds, explore, type Verdict } from './explore/explore.ts';
import type { Model } from './explore/model.ts';
import type { Left } from './fault.ts';
import { type GuardWords, type Up, upExcept } from './guards/guard.ts';

/** One exploration under its name. */
export type Exploration = { name: string; play(bounds: Bounds): Verdict };

/** An exploration without one guard, and its expected result: a broken promise, or `stuck`. */
export type Mutant = Exploration & { without: string; caught: string };

/** How many faults are played together, and their kinds, by default all. */
export type Played = { each: number; only?: string[] | undefined };

/** A model with the promise that its scenes keep, and the guards that it depends on. */
export type Suite = {
  promise: string;
  guards: Record<string, GuardWords>;
  scenes(played: Played): Exploration[];
  mutants: Mutant[];
};

type Given<Name extends string, Setting, S> = {
  promise: string;
  guards: Record<Name, GuardWords & { caught: string } & NoInfer<Setting>>;
  modelOf(guards: Up<Record<Name, unknown>>, setting: Setting): Model<S>;
  /** Returns the explorations of the whole model, by name. */
  scenes(played: Played): [name: string, setting: NoInfer<Setting>][];
};

/** Makes a suite of a model: its scenes with all guards up, and its mutants, each with one guard down. */
export function suiteOf<Name extends string, Setting, S>(given: Given<Name, Setting, S>): Suite {
  const { promise, guards, modelOf, scenes } = given;
  const names = Object.keys(guards) as Name[];
  const explorationOf = (name: string, setting: Setting, down: Name[] = []): Exploration => ({
    name,
    play: (bounds) => explore(modelOf(upExcept(guards, down), setting), bounds),
  });
  return {
    ...{ promise, guards },
    scenes: (played) => scenes(played).map(([name, setting]) => explorationOf(name, setting)),
    mutants: names.map((name) => {
      const { without, caught } = guards[name];
      return { ...explorationOf(name, guards[name], [name]), without, caught };
    }),
  };
}

/** Names scenes by their settings. */
export function named<Setting>(name: string, settings: Setting[]): [string, Setting][] {
  return settings.map((setting) => [`${name}, ${JSON.stringify(setting)}`, setting]);
}

/** Makes scenes that differ in their faults only. */
export function withFaults(name: string, faults: Left[]): [string, { faults: Left }][] {
  return named(
    name,
    faults.map((left) => ({ faults: left })),
  );
}
