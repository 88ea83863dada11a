import type { Budget, Fault } from './fault.ts';
import type { Guards } from './guards/all-guards.ts';
import type { Scene } from './scene.ts';
import type { State } from './state.ts';

/** What is explored: a scene, the guards that are up, and the faults that may happen in it. */
export type Setting = { scene: Scene; guards: Guards; budget: Budget };

/** Emits one thing that may happen next: its name, what it changes, and the fault it takes, if any. */
export type Emit = (verb: string, change: (next: State) => void, fault?: Fault) => void;
