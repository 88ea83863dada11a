import type { Ground } from './open-ground.ts';

/** Grounds for many who want one: whoever comes first has one first, and for himself. */
export type SharedGrounds = AsyncDisposable & { on<Result>(act: (ground: Ground) => Promise<Result>): Promise<Result> };

/** Lends each ground to one at a time. */
export function shareGrounds(grounds: Ground[]): SharedGrounds {
  const free = [...grounds];
  const waiting: ((ground: Ground) => void)[] = [];

  function borrow(): Promise<Ground> {
    const ground = free.pop();
    return ground ? Promise.resolve(ground) : new Promise((resolve) => waiting.push(resolve));
  }
  function giveBack(ground: Ground): void {
    const next = waiting.shift();
    if (next) next(ground);
    else free.push(ground);
  }

  return {
    on: async (act) => {
      const ground = await borrow();
      try {
        return await act(ground);
      } finally {
        giveBack(ground);
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const ground of grounds) await ground[Symbol.asyncDispose]();
    },
  };
}
