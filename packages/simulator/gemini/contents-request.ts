import { z } from 'zod';

const Fields = z.record(z.string(), z.unknown());

const FunctionName = z.string().regex(/^[a-zA-Z_][\w.:-]{0,127}$/);

const Part = z.strictObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  functionCall: z.strictObject({ id: z.string().optional(), name: FunctionName, args: Fields.optional() }).optional(),
  functionResponse: z.looseObject({ id: z.string().optional(), name: FunctionName, response: Fields }).optional(),
  inlineData: z.unknown().optional(),
  fileData: z.unknown().optional(),
  executableCode: z.unknown().optional(),
  codeExecutionResult: z.unknown().optional(),
  toolCall: z.unknown().optional(),
  toolResponse: z.unknown().optional(),
  videoMetadata: z.unknown().optional(),
  mediaResolution: z.unknown().optional(),
});
export type Part = z.output<typeof Part>;

const Content = z.strictObject({ role: z.enum(['user', 'model']).optional(), parts: z.array(Part).min(1) });
export type Content = z.output<typeof Content>;

const Declaration = z.looseObject({
  name: FunctionName,
  parametersJsonSchema: Fields.optional(),
  parameters: Fields.optional(),
});

const Calling = z.looseObject({
  mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']).optional(),
  allowedFunctionNames: z.array(z.string()).optional(),
});

/** `generateContent`, with the model of its path. Other fields are rejected, as Gemini does. */
export const ContentsRequest = z.strictObject({
  contents: z.array(Content).min(1),
  model: z.string().optional(),
  systemInstruction: z.looseObject({ parts: z.array(Part) }).optional(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(Declaration).optional() })).optional(),
  toolConfig: z.looseObject({ functionCallingConfig: Calling.optional() }).optional(),
  generationConfig: z
    .looseObject({
      responseMimeType: z.string().optional(),
      responseJsonSchema: Fields.optional(),
      responseSchema: Fields.optional(),
    })
    .optional(),
  safetySettings: z.unknown().optional(),
  cachedContent: z.string().optional(),
  serviceTier: z.enum(['unspecified', 'standard', 'flex', 'priority']).optional(),
  store: z.boolean().optional(),
  labels: z.unknown().optional(),
  modelArmorConfig: z.unknown().optional(),
});
export type ContentsRequest = z.output<typeof ContentsRequest>;
