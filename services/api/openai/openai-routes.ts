import { joinRoutes } from '../http/router.ts';
import { completionRoutes } from './completions/completions.ts';
import { createCompletionRoutes } from './completions/create-completion.ts';
import { createFileRoutes } from './files/create-file.ts';
import { fileRoutes } from './files/file-routes.ts';
import { compactResponseRoutes } from './responses/compacting/compact-response.ts';
import { conversationItemRoutes } from './responses/conversations/conversation-items.ts';
import { openaiConversationRoutes } from './responses/conversations/openai-conversations.ts';
import { inputTokenRoutes } from './responses/counting/input-tokens.ts';
import { createResponseRoutes } from './responses/create-response.ts';
import { listedModelRoutes } from './responses/listed-models.ts';
import { responseRoutes } from './responses/responses.ts';
import { upgradeRequiredRoutes } from './responses/websocket/upgrade-required.ts';

/** Routes of OpenAI's APIs: Responses, Chat Completions, conversations and files. */
export const openaiRoutes = joinRoutes(
  createResponseRoutes,
  responseRoutes,
  upgradeRequiredRoutes,
  compactResponseRoutes,
  inputTokenRoutes,
  listedModelRoutes,
  createCompletionRoutes,
  completionRoutes,
  openaiConversationRoutes,
  conversationItemRoutes,
  createFileRoutes,
  fileRoutes,
);
