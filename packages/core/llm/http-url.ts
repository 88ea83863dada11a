import { z } from 'zod';

/** An address an operator may give a provider. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'give an http or https URL' });
