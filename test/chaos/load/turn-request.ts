import { batchRequestOf } from './batch-turn.ts';
import { isFlexTurn } from './flex-turn.ts';
import type { LoadUrls, TurnPlan } from './turn-plan.ts';
import type { Scripted } from './write-script.ts';

/** The rounds with calls that a turn of shape `limited` may have. Its script has more. */
export const LIMIT = { max_rounds: 2, max_tool_calls: 4 };

/** Every second turn uses the Responses wire, and half of these are asked in the background. */
const MODELS = ['openai/chaos', 'responses/chaos', 'openai/chaos', 'background/chaos'] as const;

/**
 * A model that dies in the middle of each reply, and reports that it is overloaded. The turn changes to the other
 * model.
 */
export const DYING_MODEL = 'dying/chaos';

type RequestOptions = Pick<TurnPlan, 'number' | 'shape' | 'trouble' | 'faultedBy' | 'hasWebhook'> &
  Pick<Scripted, 'script'> & { isBatched: boolean };

/** Returns the request of a turn. The turns of one rate limit share a separate model. */
export function turnRequestOf(options: RequestOptions, { toolUrl, hookUrl }: LoadUrls) {
  const { number, shape, trouble, faultedBy, hasWebhook, isBatched, script } = options;
  // A background round reads its response again after a stream of garbage.
  const wire = trouble === 'provider-garbage' ? number % 2 : number % MODELS.length;
  const model = MODELS[wire]!;
  const tools = [httpTool('book', 'at_most_once'), httpTool('note', 'idempotent'), httpTool('look', 'none')];
  const paying = shape === 'response' ? [{ ...httpTool('pay', 'at_most_once'), approval: 'always' }] : [];
  const asking = shape === 'ask' || shape === 'response' ? [ASK_USER] : [];
  const events = ['turn.completed', 'turn.incomplete', 'turn.failed', 'turn.cancelled'];
  return {
    ...(isDying(options) ? { model: DYING_MODEL, fallback_models: [model] } : {}),
    ...(!isDying(options) ? { model: trouble === 'provider-429' ? `openai/limited-${faultedBy}` : model } : {}),
    ...(isFlexTurn(options) && !isBatched ? { service_tier: 'flex', tier_fallback: 'default' } : {}),
    ...(isBatched ? batchRequestOf(options) : {}),
    input: JSON.stringify({ sim: script }),
    tools: trouble === 'poison-turn' ? ['crash_worker'] : [...tools, ...paying, ...asking],
    metadata: { plan: String(number) },
    ...(shape === 'response' ? { background: true, reasoning: { summary: 'auto' } } : {}),
    ...(shape === 'limited' ? { limits: LIMIT } : {}),
    ...(hasWebhook ? { webhook: { url: hookUrl, events } } : {}),
  };

  function httpTool(name: string, effect: string) {
    const execution = { kind: 'http', url: `${toolUrl}/${name}` };
    return {
      type: 'function',
      name,
      description: 'Does something that is counted.',
      parameters: ARGS,
      execution,
      effect,
    };
  }
}

/**
 * Returns whether the first model dies: every eighth turn, unless it has another purpose. A response names one model.
 */
function isDying({ number, shape, trouble, isBatched }: RequestOptions): boolean {
  return number % 8 === 5 && shape !== 'response' && trouble === null && !isBatched;
}

const ARGS = {
  type: 'object',
  properties: { mark: { type: 'string' }, wait_ms: { type: 'integer' } },
  required: ['mark'],
};

const ASK_USER = {
  type: 'function',
  name: 'ask_user',
  description: 'Asks the client.',
  parameters: { type: 'object', properties: { mark: { type: 'string' } }, required: ['mark'] },
};
