import type { WireMessage } from './render-messages.ts';

/** The body of a Messages request; the provider options may add any field. */
export type Body = Record<string, unknown> & {
  model: string;
  max_tokens: number;
  messages: WireMessage[];
  stream: true;
};
