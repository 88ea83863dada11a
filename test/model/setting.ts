import type { Budget, Fault } from './fault.ts';
import type { Guards } from './guards/all-guards.ts';
import type { Scene } from './scene.ts';
import type { State } from './state.ts';

/** An exploration's input: a scene, the guards that are up, and the faults that may happen. */
export type Setting = { scene: Scene; guards: Guards; budget: Budget };

/** Emits one possible move: its name, its change, and the fault that it takes, if any. */
export type Emit = (verb: string, change: (next: State) => void, fault?: Fault) => void;
