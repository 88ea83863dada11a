import { joinRoutes } from '../http/router.ts';
import { changeConversationRoutes } from './change-conversation.ts';
import { createConversationRoutes } from './create-conversation.ts';
import { messageRoutes } from './messages.ts';
import { readConversationRoutes } from './read-conversations.ts';

/** Routes of `/v1/conversations`: the configuration and the messages of turns that belong together. */
export const conversationRoutes = joinRoutes(
  createConversationRoutes,
  readConversationRoutes,
  changeConversationRoutes,
  messageRoutes,
);
