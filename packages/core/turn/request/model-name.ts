import { z } from 'zod';

/** The maximum length of model names, which workers keep in memory and send to each other. */
const MAX_MODEL_LENGTH = 512;

export const ModelName = z
  .string()
  .max(MAX_MODEL_LENGTH)
  .regex(/^[A-Za-z0-9_-]+\/.+$/, 'name the model as provider/model, for example openai/gpt-4.1');
