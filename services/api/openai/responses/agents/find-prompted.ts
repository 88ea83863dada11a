import type { Db } from '#core/checkpoint/tables.ts';
import { conversationOf } from '#core/checkpoint/turns/reading/thread.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { turnIdOf } from '#core/turn/responses/item-id.ts';
import { type MergedConfig, mergeLayers } from '../../../../start/agents/agent-layers.ts';
import { conversationIdOf } from '../request/echo-request.ts';
import type { ResponseBody } from '../response-body.ts';
import { type Prompt, variablesOf } from './prompt.ts';

/**
 * The agent of a create request, with its configuration and the filled instructions. `newConversationId` is the id of
 * the new conversation, if the response continues none.
 */
export type Prompted = MergedConfig & { newConversationId: string };

type Asked = Pick<ResponseBody, 'model' | 'prompt' | 'instructions' | 'conversation' | 'previous_response_id'>;

const PREFIX = 'agent/';

/** Returns whether a model names an agent, as in `agent/support`. */
export function namesAgent(model: string | null | undefined): model is string {
  return model?.startsWith(PREFIX) ?? false;
}

/** Finds the agent that `prompt` or `model` names. Returns null, without a read, if the request names no agent. */
export async function findPrompted(
  body: Asked,
  { db, project }: { db: Db; project: string },
): Promise<Prompted | null> {
  const named = referenceOf(body);
  if (!named) return null;
  const newConversationId = newId('conv');
  const conversationId = (await baseOf(body, { db, project })) ?? newConversationId;
  const variables = body.prompt ? variablesOf(body.prompt) : undefined;
  const { instructions } = body;
  const own = {
    agent: named.reference,
    ...(variables && { variables }),
    ...(typeof instructions === 'string' && { instructions }),
  };
  const merged = await mergeLayers({ own }, { db, project, conversationId }).catch((error: unknown) => {
    throw error instanceof RequestRefused ? atOwnField(error, named.param) : error;
  });
  return { ...merged, newConversationId };
}

/** Returns the conversation that the response continues. Its id decides between the versions of a label. */
async function baseOf(body: Asked, { db, project }: { db: Db; project: string }): Promise<string | null | undefined> {
  const { previous_response_id: previous } = body;
  const turnId = previous ? turnIdOf(previous) : undefined;
  return turnId ? conversationOf(db, project, turnId) : conversationIdOf(body);
}

function referenceOf({ model, prompt }: Asked): { reference: string; param: string } | null {
  const ofModel = namesAgent(model) ? model.slice(PREFIX.length) : null;
  const ofPrompt = prompt ? nameOf(prompt) : null;
  if (ofModel !== null && ofPrompt !== null && !isSameAgent(ofModel, ofPrompt)) {
    const message = '`model` and `prompt` name different agents. Leave one out.';
    throw new RequestRefused(400, 'mutually_exclusive_parameters', message, 'prompt');
  }
  if (ofPrompt !== null && (ofModel ?? '').length <= ofPrompt.length)
    return { reference: ofPrompt, param: 'prompt.id' };
  return ofModel === null ? null : { reference: ofModel, param: 'model' };
}

/** Returns whether one of two references is the other, perhaps with a version or a label. */
function isSameAgent(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}@`) || other.startsWith(`${one}@`);
}

function nameOf({ id, version }: Prompt): string {
  if (version === null || version === undefined) return id;
  if (!id.includes('@')) return `${id}@${version}`;
  const message = '`prompt.version` is given twice, because `prompt.id` has a version. Leave out `prompt.version`.';
  throw new RequestRefused(400, 'mutually_exclusive_parameters', message, 'prompt.version');
}

/** Returns a refusal with the path of the field in the create request. */
function atOwnField({ status, code, message, param }: RequestRefused, named: string): RequestRefused {
  if (param === 'agent') return new RequestRefused(status, code, message, named);
  const own = param?.startsWith('variables') ? `prompt.${param}` : param;
  const known = code === 'missing_field' ? 'missing_required_parameter' : code;
  return new RequestRefused(status, known, message.replaceAll('`variables`', '`prompt.variables`'), own ?? null);
}
