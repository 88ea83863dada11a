import type { Fault } from './fault.ts';
import type { Guards } from './guards/all-guards.ts';
import type { Scene } from './scene.ts';
import type { Emit, Setting } from './setting.ts';
import type { Run, State } from './state.ts';

/** A worker, its run, and the functions that emit its possible moves. */
export type Actor = {
  state: State;
  run: Run;
  scene: Scene;
  guards: Guards;
  setting: Setting;
  /** Emits one possible move. `change` gets the same run in the next state. */
  may(verb: string, change: (run: Run, after: State) => void, fault?: Fault): void;
};

export function makeActor(state: State, index: 0 | 1, { setting, emit }: { setting: Setting; emit: Emit }): Actor {
  const { scene, guards } = setting;
  return {
    ...{ state, run: state.runs[index], scene, guards, setting },
    may: (verb, change, fault) => emit(`w${index + 1} ${verb}`, (after) => change(after.runs[index], after), fault),
  };
}
