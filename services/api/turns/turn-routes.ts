import { joinRoutes } from '../http/router.ts';
import { approvalRoutes } from './answers/approvals.ts';
import { toolOutputRoutes } from './answers/tool-outputs.ts';
import { createTurnRoutes } from './create-turn.ts';
import { forkRoutes } from './forks/fork-routes.ts';
import { readTurnRoutes } from './read-turns.ts';
import { sentRoundRoutes } from './sent/sent-round.ts';
import { turnActionRoutes } from './turn-actions.ts';
import { turnChainRoutes } from './turn-chain.ts';
import { turnEventRoutes } from './turn-events.ts';
import { turnInputRoutes } from './turn-input.ts';

/** Routes of `/v1/turns`, and the start of a turn in a conversation. */
export const turnRoutes = joinRoutes(
  createTurnRoutes,
  readTurnRoutes,
  turnActionRoutes,
  turnInputRoutes,
  forkRoutes,
  turnEventRoutes,
  turnChainRoutes,
  toolOutputRoutes,
  approvalRoutes,
  sentRoundRoutes,
);
