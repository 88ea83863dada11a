import type OpenAI from 'openai';
import { expect } from 'vitest';
import { openaiClient } from '#test/api/openai/responses/openai-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { geminiWire } from '#test/llm/gemini-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { readAnthropic } from '#test/llm/recorded-loops/read-anthropic.ts';
import { readGemini } from '#test/llm/recorded-loops/read-gemini.ts';
import { readOpenai } from '#test/llm/recorded-loops/read-openai.ts';
import { readOpenaiResponses } from '#test/llm/recorded-loops/read-openai-responses.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model'>;

/** Every wire, with a script that plays its model and a reader of requests to the model. */
export const wires = [
  { name: 'openai', script: openaiWire, reader: readOpenai, model: 'openai/gpt-4.1' },
  { name: 'openai-responses', script: responsesWire, reader: readOpenaiResponses, model: 'openai-responses/gpt-6' },
  { name: 'anthropic', script: anthropicWire, reader: readAnthropic, model: 'anthropic/claude-sonnet-4-5' },
  { name: 'gemini', script: geminiWire, reader: readGemini, model: 'gemini/gemini-3-pro' },
];
export type Wire = (typeof wires)[number];

type Reply = Parameters<Wire['script']['reply']>[0];

/**
 * Opens a client of a Pawl with one wire. `says` sets the replies of the model. `heard` reads its last request, and
 * checks the request against the rules of the wire.
 */
export async function openWire(wire: Wire) {
  const server = await startWireServer();
  const urls = { OPENAI_BASE_URL: server.origin, ANTHROPIC_BASE_URL: server.origin, GEMINI_BASE_URL: server.origin };
  const more = { 'openai-responses': { kind: 'openai-responses', base_url: server.origin } };
  const keys = { ANTHROPIC_API_KEY: 'none', GEMINI_API_KEY: 'none' };
  const harness = await createHarness({ env: { ...urls, ...keys, PAWL_PROVIDERS: JSON.stringify(more) } });
  return {
    ...{ harness, ...talking({ harness, server, wire }) },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function talking({ harness, server, wire }: { harness: Harness; server: WireServer; wire: Wire }) {
  const client = openaiClient(harness);
  return {
    client,
    /** Sets the replies of the model in order. The last reply is repeated. */
    says: (reply: Reply, ...then: Reply[]) => {
      server.answer({ body: wire.script.reply(reply) });
      server.answerNext(...then.map((each) => ({ body: wire.script.reply(each) })));
    },
    create: (body: Body) => client.responses.create({ model: wire.model, ...body }),
    heard: () => {
      const { body } = server.asked.at(-1)!;
      expect(wire.reader.problems(body, wire.model)).toEqual([]);
      const { said } = wire.reader.request({ request: { body }, response: { status: 200, body: null } });
      return { body: JSON.stringify(body), said: said.map((each) => `${each.role}: ${each.text}`) };
    },
  };
}
