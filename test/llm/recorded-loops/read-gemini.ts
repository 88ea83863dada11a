import { checkGemini } from '#test/llm/check-wire/gemini.ts';
import { asGoogleReads } from '#test/llm/gemini/equivalent.ts';
import { heardIn, inWords } from '#test/llm/gemini/heard.ts';
import type { WireContent } from '#test/llm/gemini/stored-form.ts';
import type { Exchange } from '#test/llm/recordings.ts';
import { MEDIA, type ReadReply, type ReadRequest, type Said, type WireReader } from './wire-reader.ts';

export const readGemini: WireReader = {
  wire: 'gemini',
  isOurs: (api) => /generateContent/i.test(api),
  request,
  reply,
  answered: inWords,
  problems: (body, model) => checkGemini(body, model),
};

const CHOICES: Record<string, string> = { NONE: 'none', ANY: 'required' };

function request(exchange: Exchange<unknown>): ReadRequest {
  const { path = '' } = exchange.request as { path?: string };
  const { contents, systemInstruction, tools = [], toolConfig } = asGoogleReads(exchange.request!.body);
  const declared = tools.flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
  const system = [systemInstruction?.parts ?? []].flat().map(({ text }) => text);
  return {
    said: contents.flatMap(asSaid),
    fields: {
      model: `gemini/${/models\/([^:]+)/.exec(path)?.[1] ?? 'gemini'}`,
      instructions: system.join('\n\n') || null,
      tools: declared.map(({ name, description, parameters, parametersJsonSchema }) => ({
        ...{ name, description, parameters: jsonSchema(parameters ?? parametersJsonSchema) },
        execution: { kind: 'client' },
      })),
      tool_choice: CHOICES[toolConfig?.functionCallingConfig.mode ?? ''] ?? 'auto',
    },
  };
}

function asSaid({ role, parts }: WireContent): Said[] {
  const answers = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  const calls = parts.filter(({ functionCall }) => functionCall).length;
  const texts = parts.filter(
    ({ functionCall, functionResponse, thought }) => !functionCall && !functionResponse && !thought,
  );
  const text = texts.map((part) => part.text ?? MEDIA).join('');
  if (role === 'model') return [{ role: 'assistant', text, calls }];
  return [
    ...answers.map(({ id, response }): Said => ({ role: 'tool', id: id ?? '', ...answerIn(response) })),
    ...(text ? [{ role: 'user' as const, text }] : []),
  ];
}

/** Returns the text of the tool message that is sent as this response. */
function answerIn(response: Record<string, unknown>): { text: string; isError: boolean } {
  const [[field, value] = [], ...more] = Object.entries(response);
  const isBare = more.length === 0 && typeof value === 'string';
  const text = isBare && (field === 'result' || field === 'error') ? value : JSON.stringify(response);
  return { text, isError: isBare && field === 'error' };
}

/** The types by their number in the protocol, which Google's clients may use instead of the name. */
const TYPES = ['', 'string', 'number', 'integer', 'boolean', 'array', 'object'];

/** Returns a schema of the OpenAPI dialect, which has types in capitals, as JSON Schema. */
function jsonSchema(schema: object | undefined): object | undefined {
  if (!schema) return undefined;
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key !== 'type') return value;
    return typeof value === 'number' ? TYPES[value] : typeof value === 'string' ? value.toLowerCase() : value;
  });
}

function reply(exchange: Exchange<unknown>): ReadReply {
  if (exchange.response.status !== 200) return { text: '', calls: [], usage: null, problem: 'refused' };
  const { text, calls, usage, finish } = heardIn(exchange);
  const isEmpty = calls.length === 0 && !text.trim();
  return {
    text,
    calls: calls.map(({ name, args }) => ({ id: '', name, arguments: args })),
    usage: usage ? { input_tokens: usage.promptTokenCount ?? 0, total_tokens: usage.totalTokenCount ?? 0 } : null,
    problem: isEmpty || finish?.startsWith('MALFORMED') ? 'provider_bad_response' : null,
  };
}
