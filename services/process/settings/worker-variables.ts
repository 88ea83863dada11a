import { z } from 'zod';
import { ABOUT } from './about.ts';
import { aliasesForm, choiceForm, DAY_MS, daysForm, LONGEST_TIMER_MS, numberForm } from './forms.ts';

export const MODEL_VARIABLES = {
  PAWL_DEFAULT_PROVIDER: z.string().trim().optional().register(ABOUT, {
    meaning: 'Provider of a model without a provider in its name. Only responses and completions use it.',
    absent: '`openai`, or the only configured provider',
  }),
  PAWL_MODEL_ALIASES: aliasesForm.register(ABOUT, {
    meaning:
      'Models to use in place of names that a client has built in: JSON such as `{"gpt-4o-mini":"ollama/qwen3"}`. ' +
      'See [responses](responses.md#models-and-settings).',
    absent: 'no aliases',
  }),
  PAWL_UNSUPPORTED_TOOLS: choiceForm('refuse', 'ignore').register(ABOUT, {
    meaning: '`refuse` or `ignore`: how a response treats a tool that Pawl does not have.',
  }),
  PAWL_PROVIDER_LIMITS: z
    .string()
    .optional()
    .register(ABOUT, {
      meaning:
        'Requests per minute, tokens per minute and concurrent requests of each model: JSON. ' +
        'See [limits of a provider](provider-failures.md#limits-of-a-provider).',
      absent: 'no limits',
    }),
  PAWL_PRICES: z.string().optional().register(ABOUT, {
    meaning: 'Prices per model, for costs of turns: JSON. See [costs](operations.md#costs).',
    absent: 'no costs',
  }),
};

export const CALL_VARIABLES = {
  PAWL_MODEL_TIMEOUT_MS: numberForm(600_000, 1, LONGEST_TIMER_MS).register(ABOUT, {
    meaning: 'Longest duration of one model call.',
    unit: 'ms',
  }),
  PAWL_FALLBACK_AFTER_MS: numberForm(10_000, 0, DAY_MS).register(ABOUT, {
    meaning:
      'Longest wait for a model before the worker asks the next model of the turn. ' +
      'See [fallback](provider-failures.md#when-a-model-cannot-answer).',
    unit: 'ms',
  }),
  PAWL_FLEX_IDLE_TIMEOUT_MS: numberForm(900_000, 1, LONGEST_TIMER_MS).register(ABOUT, {
    meaning: 'Longest silence of a model call on the [service tier](service-tiers.md) `flex`.',
    unit: 'ms',
  }),
  PAWL_FLEX_WAIT_MS: numberForm(21_600_000, 0, 365 * DAY_MS).register(ABOUT, {
    meaning: 'Longest wait of a round without a deadline for capacity on `flex`.',
    unit: 'ms',
  }),
  PAWL_BACKGROUND_QUEUED_MS: numberForm(600_000, 1, LONGEST_TIMER_MS).register(ABOUT, {
    meaning: 'Longest time that a [background response](background-responses.md) may be queued at its provider.',
    unit: 'ms',
  }),
  PAWL_BACKGROUND_TIMEOUT_MS: numberForm(14_400_000, 1, LONGEST_TIMER_MS).register(ABOUT, {
    meaning: 'Longest duration of a background response. `PAWL_MODEL_TIMEOUT_MS` does not limit it.',
    unit: 'ms',
  }),
  PAWL_BATCH_WAIT_MS: numberForm(60_000, 0, DAY_MS).register(ABOUT, {
    meaning: 'Longest time that a round on the tier [`batch`](batches.md) waits until the worker sends a batch.',
    unit: 'ms',
  }),
  PAWL_BATCH_SIZE: numberForm(500, 1, 50_000).register(ABOUT, {
    meaning: 'Largest number of rounds in a batch. The worker sends a batch at once when so many rounds wait.',
  }),
};

export const TOOL_VARIABLES = {
  PAWL_TOOLS: z.string().optional().register(ABOUT, {
    meaning: 'Module with the tools of the server. See [tools](tools.md).',
    absent: '`./tools.ts`, if the file exists',
  }),
  PAWL_TOOL_RULES: choiceForm('strict', 'provider').register(ABOUT, {
    meaning: '`strict` or `provider`: which rules the names of tools must obey.',
  }),
  PAWL_TOOL_OUTPUT_LIMIT: numberForm(65_536, 1, 2 ** 30).register(ABOUT, {
    meaning: 'Longest output of a tool that the model receives.',
    unit: 'bytes',
  }),
  PAWL_MCP: z
    .string()
    .optional()
    .register(ABOUT, {
      meaning:
        'MCP servers. Their tools are named `server__tool`: JSON `{"name":{"url","headers"}}` or ' +
        '`{"name":{"command","args","env"}}`.',
      absent: 'no MCP servers',
    }),
};

export const WORKER_VARIABLES = {
  PAWL_WORKER_CONCURRENCY: numberForm(64, 1, 10_000).register(ABOUT, {
    meaning: 'Maximum concurrent steps of a worker, for each provider.',
  }),
  PAWL_HISTORY_LIMIT: numberForm(0, 1, 2 ** 28)
    .unwrap()
    .optional()
    .register(ABOUT, {
      meaning: 'Largest turn, and largest history of a turn, that a worker loads. See [sizing](sizing.md).',
      unit: 'bytes',
      absent: 'a sixteenth of the heap',
    }),
  PAWL_SHUTDOWN_GRACE_MS: numberForm(10_000, 0, DAY_MS).register(ABOUT, {
    meaning: 'Time that a stopping process gives its running steps. Final writes take up to 5 s more.',
    unit: 'ms',
  }),
  PAWL_RETENTION_DAYS: daysForm.register(ABOUT, {
    meaning: 'Age after which an ended turn is deleted. Fractions are allowed. See [retention](retention.md).',
    unit: 'days',
    absent: 'turns are kept',
  }),
  PAWL_RETENTION_SWEEP_MS: numberForm(60_000, 10, DAY_MS).register(ABOUT, {
    meaning: 'Interval between two searches for old turns.',
    unit: 'ms',
  }),
};

export const LOG_VARIABLES = {
  PAWL_LOG_LEVEL: choiceForm('info', 'silent', 'error', 'warn', 'debug').register(ABOUT, {
    meaning: '`silent`, `error`, `warn`, `info` or `debug`.',
  }),
  PAWL_LOG_FORMAT: z.enum(['text', 'json'], 'give one of text, json').optional().register(ABOUT, {
    meaning: '`text` or `json`.',
    absent: '`text` on a terminal, otherwise `json`',
  }),
  PAWL_METRICS_PORT: numberForm(0, 0, 65_535).unwrap().optional().register(ABOUT, {
    meaning: 'Port on which a worker serves `/metrics`. See [metrics](observability.md#metrics).',
    absent: 'workers serve no metrics',
  }),
  PAWL_METRICS_KEY: z.string().trim().optional().register(ABOUT, {
    meaning: 'Key that a scraper sends as `Authorization: Bearer`.',
    absent: '`/metrics` is open on loopback only',
  }),
  PAWL_TRACE_CONTENT: z
    .enum(['0', '1'], 'give 1 or 0')
    .default('0')
    .transform((given) => given === '1')
    .register(ABOUT, {
      meaning: '`1` adds the texts of turns to spans. See [traces](observability.md#traces).',
      absent: '`0`',
    }),
};
