import { hash } from 'node:crypto';

/**
 * The order in which a key takes one of several stores: the same in each process, and in whichever order they are named. Where a
 * store is added or removed, the other keys keep theirs (rendezvous hashing).
 */
export function rankStores<Store extends { address: string }>(stores: readonly Store[], key: string): Store[] {
  const weighed = stores.map((store) => ({ store, weight: hash('sha1', `${store.address} ${key}`) }));
  return weighed.sort((one, other) => (one.weight < other.weight ? 1 : -1)).map(({ store }) => store);
}
