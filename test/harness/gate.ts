/** Requests that wait at a gate. `reached` resolves when the first request has arrived. `open` lets all pass. */
export type Held = { reached: Promise<void>; open(): void };

/** A gate for requests to a model. With it a test can act during a request, without a slow model. */
export type Gate = {
  pass(): Promise<void>;
  /** Holds the next requests, as many as given, until they are released. */
  close(requests?: number): Held;
};

export function makeGate(): Gate {
  let left = 0;
  let reach = () => {};
  let opened: Promise<void> = Promise.resolve();
  return {
    pass: async () => {
      if (left === 0) return;
      left -= 1;
      reach();
      await opened;
    },
    close: (requests = Number.POSITIVE_INFINITY) => {
      const [reached, opening] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      left = requests;
      reach = reached.resolve;
      opened = opening.promise;
      const open = () => {
        left = 0;
        opening.resolve();
      };
      return { reached: reached.promise, open };
    },
  };
}
