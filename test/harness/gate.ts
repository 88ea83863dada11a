/** Requests that wait at a gate: `reached` resolves when the first of them has come, `open` lets all of them pass. */
export type Held = { reached: Promise<void>; open(): void };

/** Where the requests to a model wait. A test needs no slow model to act while one thinks. */
export type Gate = {
  /** Resolves as soon as a request may pass. */
  pass(): Promise<void>;
  /** Holds the next requests, as many as are given, until they are let pass. */
  close(requests?: number): Held;
};

/** Makes a gate that is open. */
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
