import fc from 'fast-check';

/** The seed of all property tests. CI uses the same values each time. `PROPERTY_SEED=8` chooses other values. */
export const seed = Number(process.env.PROPERTY_SEED ?? 7);

fc.configureGlobal({ seed });
