import { RequestRefused } from '#core/failure.ts';
import { SUMMARY_REQUEST } from '#core/turn/compaction/summary-prompt.ts';
import { type ReadRules, readResponseRequest } from '../read-response-request.ts';
import type { PlacedItem } from '../request/read-input.ts';
import type { ReadRequest } from '../request/read-request.ts';
import type { CompactBody } from './compact-body.ts';

/**
 * Reads a compaction as the create request of a response that is not stored. Its input is the history and, as its
 * last item, the question for a summary (contract-responses R71). Refuses a field as `readResponseRequest` does.
 */
export async function readCompaction(body: CompactBody, rules: ReadRules): Promise<ReadRequest> {
  const { image: _, input, ...fields } = body;
  const request = await readResponseRequest({ ...fields, input: input ?? [], store: false }, rules);
  refuseApprovals(request.input);
  const question = { at: request.input.length, item: { role: 'user' as const, content: SUMMARY_REQUEST } };
  return { ...request, input: [...request.input, question] };
}

/** Refuses an approval of a call that has not run, because a compaction runs no calls. */
function refuseApprovals(input: PlacedItem[]): void {
  const items = input.map(({ item }) => item);
  const run = items.flatMap((item) => ('type' in item && item.type === 'mcp_call' ? item.approval_request_id : []));
  const approval = input.find(
    ({ item }) =>
      'type' in item &&
      item.type === 'mcp_approval_response' &&
      item.approve &&
      !run.includes(item.approval_request_id),
  );
  if (!approval) return;
  const item = `input[${approval.at}]`;
  const message = `\`${item}\` approves a call, and a compaction runs no calls. Send it to \`POST /v1/responses\`.`;
  throw new RequestRefused(400, 'unsupported_input_item', message, `${item}.type`);
}
