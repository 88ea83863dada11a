/** Returns Web Crypto, which Node 18 has only in a module. */
export async function webCrypto(): Promise<typeof globalThis.crypto> {
  return globalThis.crypto ?? (await import('node:crypto')).webcrypto;
}
