/** Web Crypto; Node 18 has it in a module only. */
export async function webCrypto(): Promise<typeof globalThis.crypto> {
  if (globalThis.crypto) return globalThis.crypto;
  try {
    // A bundler for browsers must leave this as it is: no browser comes here.
    return (await import(/* webpackIgnore: true */ 'node:crypto')).webcrypto as typeof globalThis.crypto;
  } catch (cause) {
    throw new Error('There is no Web Crypto here. Use Node 18 or newer, Deno, Bun or a browser.', { cause });
  }
}
