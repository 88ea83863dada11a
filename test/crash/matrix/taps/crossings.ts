/** The acts of a process outside itself, named and counted. Each crossing is a point at which it can die. */
export type Crossings = {
  /** The points crossed so far, in order: a name and its count, as in `after result-writer › saveResults #2`. */
  crossed: string[];
  cross(name: string): void;
  /**
   * Crosses out of the process and back. An act that answers at once has not left the process, so it has no way back.
   */
  around<Result>(name: string, act: () => Result): Result;
  /** Whether the queue refuses the first job of each name, as if it were down for a short time. */
  queueRefuses: boolean;
  /** Whether each step goes through the queue, as for a worker without a free slot. */
  queuesSteps: boolean;
};

type Ways = Pick<Crossings, 'queueRefuses' | 'queuesSteps'>;

/** Counts crossings by name, so that timed crossings shift no others. At `crashAt` the process is killed. */
export function countCrossings({ crashAt, queueRefuses, queuesSteps }: { crashAt: string | null } & Ways): Crossings {
  const times = new Map<string, number>();
  const crossed: string[] = [];

  function cross(name: string): void {
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    const point = `${name} #${time}`;
    crossed.push(point);
    if (point === crashAt) die();
  }

  return {
    ...{ queueRefuses, queuesSteps },
    crossed,
    cross,
    around: (name, act) => {
      cross(`before ${name}`);
      const result = act();
      if (!(result instanceof Promise)) return result;
      const back = () => cross(`after ${name}`);
      void result.then(back, back);
      return result;
    },
  };
}

/** Kills the process before this function returns, so that it closes, sends and logs no more. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}
