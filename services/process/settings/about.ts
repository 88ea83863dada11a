import { z } from 'zod';

/** The documentation of a variable. `absent` describes the default if no default value does. */
export type About = { meaning: string; unit?: 'ms' | 'bytes' | 'days'; absent?: string };

/** The documentation of each variable that has a form. docs/configuration.md is generated from it. */
export const ABOUT = z.registry<About>();
