import { z } from 'zod';

const text = z.string().nullish();

const PartialArg = z.looseObject({
  jsonPath: z.string(),
  stringValue: text,
  numberValue: z.number().nullish(),
  boolValue: z.boolean().nullish(),
  willContinue: z.boolean().nullish(),
});
/** One value of a call's arguments that arrive in chunks, under its JSON path; no value at all is null. */
export type PartialArg = z.infer<typeof PartialArg>;

const FunctionCall = z.object({
  id: text,
  name: text,
  args: z.record(z.string(), z.unknown()).nullish(),
  partialArgs: z.array(PartialArg).nullish(),
  willContinue: z.boolean().nullish(),
});
export type FunctionCall = z.infer<typeof FunctionCall>;

const Part = z.looseObject({
  text,
  thought: z.boolean().nullish(),
  thoughtSignature: text,
  functionCall: FunctionCall.nullish(),
});
/** One part of the model's content; what is neither text nor a call is kept as it came. */
export type Part = z.infer<typeof Part>;

const count = z.number().nullish();
const Usage = z.object({
  promptTokenCount: count,
  toolUsePromptTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
  cachedContentTokenCount: count,
});
export type WireUsage = z.infer<typeof Usage>;

const Candidate = z.object({
  index: z.int().nullish(),
  content: z.object({ parts: z.array(Part).nullish() }).nullish(),
  finishReason: z.union([z.string(), z.number()]).nullish(),
});

/** One chunk of a generateContent stream; a reply sent whole is one chunk. Anything else has none of these fields. */
export const Chunk = z
  .object({
    candidates: z.array(Candidate).nullish(),
    promptFeedback: z.object({ blockReason: text, blockReasonMessage: text }).nullish(),
    // What only counts must not cost a reply that can be read.
    usageMetadata: Usage.nullish().catch(null),
    responseId: text,
  })
  .refine((chunk) => Object.values(chunk).some((value) => value !== undefined));
export type Chunk = z.infer<typeof Chunk>;
