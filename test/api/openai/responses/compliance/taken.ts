import { z } from 'zod';

/** Accepts a schema only if its values fit a type of OpenAI's client. The compiler checks it. */
export const taken =
  <Theirs>() =>
  <Schema extends z.ZodType<Theirs>>(schema: Schema): Schema =>
    schema;

/** Returns the pattern of ids of responses and items: a prefix, 26 characters, and a position. */
export const itemId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}_r\\d+(_\\d+)?$`));
