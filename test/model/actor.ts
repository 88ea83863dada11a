import type { Fault } from './fault.ts';
import type { Guards } from './guards/all-guards.ts';
import type { Scene } from './scene.ts';
import type { Emit, Setting } from './setting.ts';
import type { Run, State } from './state.ts';

/** A worker with its run, as both are now, and the way to emit what it may do next. */
export type Actor = {
  state: State;
  run: Run;
  scene: Scene;
  guards: Guards;
  setting: Setting;
  /** Emits one thing it may do: `change` gets the same run in the state that follows. */
  may(verb: string, change: (run: Run, after: State) => void, fault?: Fault): void;
};

/** One of the two workers. */
export function makeActor(state: State, index: 0 | 1, { setting, emit }: { setting: Setting; emit: Emit }): Actor {
  const { scene, guards } = setting;
  return {
    ...{ state, run: state.runs[index], scene, guards, setting },
    may: (verb, change, fault) => emit(`w${index + 1} ${verb}`, (after) => change(after.runs[index], after), fault),
  };
}
