/** Web Crypto. Bundlers for browsers take this in place of `../web-crypto.ts` (`browser` in package.json): no Node comes along. */
export async function webCrypto(): Promise<typeof globalThis.crypto> {
  return globalThis.crypto;
}
