import { estimateInput } from '#core/turn/compaction/estimate-input.ts';
import { bytesToTokens } from '#core/turn/compaction/tokens-of-request.ts';
import type { ApiContext } from '../../../context.ts';
import { readResponseRequest } from '../read-response-request.ts';
import { resolveInput, takeResolved } from '../resolve-input.ts';
import type { ResponseBody } from '../response-body.ts';
import { findNamedHistory, loadCounted } from './counted-history.ts';
import type { InputTokensBody } from './input-tokens-body.ts';

/**
 * Estimates the tokens of the first request that a create of a response with these fields would send. Asks no model and
 * writes nothing. Does not check whether outputs fit their calls.
 */
export async function countInput(context: ApiContext, project: string, body: InputTokensBody): Promise<number> {
  const { db } = context;
  const { personality: _, model, input: given, ...fields } = body;
  const hasInput = given !== undefined && given !== null && given.length > 0;
  const asked: ResponseBody = { ...fields, model: model ?? UNNAMED, input: hasInput ? given : UNSAID };
  const { config, ...request } = await readResponseRequest(asked, { ...context, project, projects: unbound(context) });
  const history = await findNamedHistory(db, project, request);
  const resolved = hasInput ? await resolveInput(db, request.input, { project, last: history ?? undefined }) : [];
  const { input } = await takeResolved(db, resolved, { project, wire: null });
  const next = { input, config };
  const counted = history && (await loadCounted(db, history));
  return counted?.bytes
    ? bytesToTokens(counted.bytes) + estimateInput([], next)
    : estimateInput(counted?.turns ?? [], next);
}

/** A model that every installation has, for a count without a model. */
const UNNAMED = 'sim/none';

/** An input for the check of the other fields, for a count without an input. */
const UNSAID = 'Hi';

/** Projects that may name any model: a count asks none. */
function unbound({ projects }: ApiContext): ApiContext['projects'] {
  return { ...projects, find: (name) => ({ ...projects.find(name), allowedModels: null }) };
}
