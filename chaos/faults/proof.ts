import type { Strike } from '../schedule.ts';
import type { Site } from '../site/open-site.ts';

/**
 * What a fault came to. `fired` is a sentence on what shows that it struck, null where it found nothing to do. `endedAt`
 * is when its cause was gone; `scope` whose work it stopped: `all`, one part by name, or `none`.
 */
export type Proof = { fired: string | null; endedAt: number; scope: string };

/** Strikes once, and mends what it broke before it resolves. */
export type Fault = (site: Site, strike: Strike) => Promise<Proof>;
