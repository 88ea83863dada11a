import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import type { BatchCreateParams } from 'openai/resources/batches';
import { test as base } from 'vitest';
import { startSimulator } from '#simulator/start-simulator.ts';
import { opening } from '#test/harness/opening.ts';

export const HOUR_MS = 3_600_000;

type Line = { custom_id?: string; method?: string; url?: string; body?: object };

/** Starts a simulator that ends batches at once, with the official SDKs without retries. Ends with its scope. */
export async function askBatches() {
  const simulator = await startSimulator({ batchLimits: { delayMs: 0 } });
  const origin = `http://127.0.0.1:${simulator.port}`;
  const options = { apiKey: 'none', maxRetries: 0, logLevel: 'off' as const };
  const openai = new OpenAI({ ...options, baseURL: simulator.baseUrl });
  const anthropic = new Anthropic({ ...options, baseURL: origin });
  const gemini = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: origin } });
  return {
    ...{ simulator, origin, openai, anthropic, gemini },
    /** Uploads lines and creates their batch. A text is uploaded unchanged. */
    async createFile(lines: Line[] | string, params: Partial<BatchCreateParams> = {}) {
      const text = typeof lines === 'string' ? lines : lines.map((line) => JSON.stringify(line)).join('\n');
      const file = await openai.files.create({
        purpose: 'batch',
        file: await toFile(Buffer.from(text), 'lines.jsonl'),
      });
      const endpoint = '/v1/chat/completions';
      return openai.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h', ...params });
    },
    async fetch(path: string, init: { method?: string; body?: object } = {}) {
      const { body, ...rest } = init;
      const headers = { authorization: 'Bearer none', 'anthropic-version': '2026-10-21' };
      const response = await fetch(`${origin}${path}`, {
        ...rest,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, body: text.startsWith('{') ? linesOf(text)[0] : null };
    },
    [Symbol.asyncDispose]: () => simulator.stop(),
  };
}

export type Batches = Awaited<ReturnType<typeof askBatches>>;

/** A test that can take `model`, its own simulator. */
export const test = base.extend('model', opening(askBatches));

/** Returns the text of a user's message with a script. */
export function scriptText(sim: object): string {
  return JSON.stringify({ sim });
}

/** Returns a line of Chat Completions with a script. */
export function chatLine(id: string, sim: object, more: object = {}) {
  const messages = [{ role: 'user', content: scriptText(sim) }];
  return { custom_id: id, method: 'POST', url: '/v1/chat/completions', body: { model: 'demo', messages, ...more } };
}

/** Returns a request of a message batch with a script. */
export function messageRequest(id: string, sim: object): Anthropic.Messages.BatchCreateParams.Request {
  const messages = [{ role: 'user' as const, content: scriptText(sim) }];
  return { custom_id: id, params: { model: 'demo', max_tokens: 100, messages } };
}

/** Returns a request of a batch of Gemini with a script. */
export function contentRequest(id: string, sim: object) {
  return { metadata: { key: id }, contents: [{ role: 'user', parts: [{ text: scriptText(sim) }] }] };
}

/** Parses the lines of a JSONL text. */
export function linesOf(text: string) {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
