/** The waits of a production. At most a single wait is pending. */
export type Waits = {
  wait(ms: number): Promise<void>;
  /** Ends the pending wait. */
  skip(): void;
  /** Ends the pending wait and all later waits at once. */
  stop(): void;
  isStopped(): boolean;
};

export function makeWaits(): Waits {
  let skip = (): void => {};
  let isStopped = false;
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        if (ms <= 0 || isStopped) return resolve();
        const timer = setTimeout(resolve, ms);
        skip = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    skip: () => skip(),
    stop() {
      isStopped = true;
      skip();
    },
    isStopped: () => isStopped,
  };
}
