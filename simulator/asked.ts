import type { ChatRequest } from './chat-request.ts';

/** One request, with what its bytes and headers tell: its length, and how often its round was tried before. */
export type Asked = { body: ChatRequest; bodyLength: number; tryNumber: number };
