/** Messages of one turn as bytes. Streams that send equal messages share the bytes. */
export type Renderings = {
  /** Returns the bytes of a message, shared under its key with equal messages while a stream holds them. */
  bytesOf(key: string | number, message: object, write: () => string): Uint8Array;
};

type Rendering = { message: object; bytes: WeakRef<Uint8Array> };

/** Shares messages without keeping them: only sockets that have not sent a message hold its memory. */
export function shareRenderings(): Renderings {
  const renderings = new Map<string | number, Rendering>();
  const collected = new FinalizationRegistry<string | number>((key) => {
    if (renderings.get(key)?.bytes.deref() === undefined) renderings.delete(key);
  });

  return {
    bytesOf: (key, message, write) => {
      const known = renderings.get(key);
      const shared = known && isSame(known.message, message) ? known.bytes.deref() : undefined;
      if (shared) return shared;
      const bytes = Buffer.from(write());
      renderings.set(key, { message, bytes: new WeakRef(bytes) });
      collected.register(bytes, key);
      return bytes;
    },
  };
}

function isSame(a: object, b: object): boolean {
  if (a === b) return true;
  const [known, other] = [Object.entries(a), b as Record<string, unknown>];
  return known.length === Object.keys(b).length && known.every(([name, value]) => other[name] === value);
}
