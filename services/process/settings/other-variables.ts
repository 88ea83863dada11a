import type { About } from './about.ts';
import type { VARIABLES } from './variables.ts';

type Section = keyof typeof VARIABLES | 'The command line';

const key = (provider: string): About => ({
  meaning: `Key of ${provider}.`,
  absent: 'this provider is not configured',
});
const baseUrl = (provider: string): About => ({ meaning: `Base URL of ${provider}.`, absent: `${provider}'s own` });
const wire = (provider: string, hosts: string): About => ({
  meaning:
    `\`responses\` or \`chat\`: the API of ${provider} that Pawl uses. ` +
    'See [providers](providers.md#responses-or-chat-completions).',
  absent: `\`responses\` at ${hosts}, otherwise \`chat\``,
});

/** Variables with other readers: providers, proxies, OpenTelemetry, the command line, the demo and `loadEnvFile`. */
export const OTHER_VARIABLES: Partial<Record<Section, Record<string, About>>> = {
  Models: {
    OPENAI_API_KEY: key('OpenAI'),
    ANTHROPIC_API_KEY: key('Anthropic'),
    GEMINI_API_KEY: key('Gemini'),
    XAI_API_KEY: key('xAI'),
    OPENAI_BASE_URL: baseUrl('OpenAI'),
    ANTHROPIC_BASE_URL: baseUrl('Anthropic'),
    GEMINI_BASE_URL: baseUrl('Gemini'),
    XAI_BASE_URL: baseUrl('xAI'),
    OLLAMA_BASE_URL: { meaning: 'Base URL of Ollama.', absent: 'this provider is not configured' },
    OPENAI_WIRE: wire('OpenAI', '`api.openai.com` and at Azure'),
    OPENAI_BACKGROUND: {
      meaning: '`1` asks OpenAI in the background. See [background responses](background-responses.md).',
      absent: '`0`',
    },
    XAI_WIRE: wire('xAI', '`api.x.ai`'),
    ANTHROPIC_CUSTOM_HEADERS: {
      meaning: 'Headers of each request of the kind `anthropic`, as lines `Name: value`.',
      absent: 'no headers',
    },
    GOOGLE_GENAI_API_VERSION: { meaning: 'Version in the URLs of Gemini.', absent: '`v1`' },
    PAWL_PROVIDERS: {
      meaning: 'More providers: JSON by name. See [providers](providers.md).',
      absent: 'only the built-in providers with a key, and `sim`',
    },
  },
  'Time limits of model calls': {
    PAWL_MODEL_IDLE_TIMEOUT_MS: { meaning: 'Longest silence of a model call.', unit: 'ms', absent: '`120000`' },
    PAWL_MODEL_TIMEOUT_LIMIT_MS: {
      meaning:
        'Longest time that `model_retry` of a turn may set. See [attempts](provider-failures.md#attempts-and-timeouts).',
      unit: 'ms',
      absent: '`3600000`',
    },
  },
  Network: {
    HTTPS_PROXY: {
      meaning: 'Forward proxy of `https` requests. See [proxies](deployment.md#proxies-and-balancers).',
      absent: '`HTTP_PROXY`',
    },
    HTTP_PROXY: { meaning: 'Forward proxy of `http` requests.', absent: 'no proxy' },
    NO_PROXY: { meaning: 'Hosts that Pawl connects to directly, separated by commas.', absent: 'no hosts' },
  },
  'Logs, metrics and traces': {
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      meaning:
        'Collector that receives spans. Pawl also reads the other variables of OpenTelemetry that ' +
        '[traces](observability.md#traces) lists.',
      absent: 'no spans are sent',
    },
  },
  'The command line': {
    PAWL_ENV_FILE: {
      meaning: 'File of variables that each process reads. The environment takes precedence.',
      absent: '`.env`, if the file exists',
    },
    PAWL_URL: { meaning: 'URL of the API for the command `pawl`.', absent: '`http://127.0.0.1:8080`' },
    PAWL_API_KEY: { meaning: 'Key that the command `pawl` sends.', absent: 'no key' },
    PAWL_DEMO_JOURNAL: {
      meaning: 'File in which the tools of the demo record their calls.',
      absent: '`demo-journal.jsonl`',
    },
  },
};
