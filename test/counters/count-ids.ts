import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Counts the UUIDs that this process makes for ids, until it is disposed. */
export function countIds(): Disposable & { count: () => number } {
  const { randomUUIDv7 } = crypto;
  let count = 0;
  replace((...given) => {
    count += 1;
    return randomUUIDv7(...given);
  });
  return { count: () => count, [Symbol.dispose]: () => replace(randomUUIDv7) };
}

function replace(make: typeof crypto.randomUUIDv7): void {
  crypto.randomUUIDv7 = make;
  syncBuiltinESMExports();
}
