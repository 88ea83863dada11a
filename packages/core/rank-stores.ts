import { hash } from 'node:crypto';

/**
 * Returns a key's order of stores, the same in each process. If stores change, other keys keep their order
 * (rendezvous hashing).
 */
export function rankStores<Store extends { address: string }>(stores: readonly Store[], key: string): Store[] {
  const weighed = stores.map((store) => ({ store, weight: hash('sha1', `${store.address} ${key}`) }));
  return weighed.sort((one, other) => (one.weight < other.weight ? 1 : -1)).map(({ store }) => store);
}
