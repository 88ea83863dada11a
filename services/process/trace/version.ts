import { createRequire } from 'node:module';

/** The version of Pawl, as its package says it. */
export const VERSION: string = createRequire(import.meta.url)('../../../package.json').version;
