import { z } from 'zod';

/** Workers remember models by name, and send the names to each other. */
const MAX_MODEL_LENGTH = 512;

/** A model as callers name it. */
export const ModelName = z
  .string()
  .max(MAX_MODEL_LENGTH)
  .regex(/^[A-Za-z0-9_-]+\/.+$/, 'name the model as provider/model, for example openai/gpt-4.1');
