import type { StandingConfig } from './turn-request.ts';

/** A conversation as it is stored, with the turn it is at. */
export type Conversation = {
  id: string;
  config: StandingConfig;
  metadata: Record<string, string>;
  activeTurnId: string | null;
  createdAt: string;
};
