import { checkpoint, type Rule, rule, worker } from './rule.ts';

/** The rules of the answers that a provider keeps for a round: background responses and batches. */
export const providerRules = {
  R40: rule(
    'A background round is asked only under a lease that has found no response. It publishes text after the id of its response is committed. Later runs follow this response until a commit drops it by its id.',
    checkpoint('background/save-response', 'turns/lease', 'turns/postpone', 'turns/reading/select'),
    checkpoint('turns/compaction/save-compaction'),
    ['packages/core/llm/openai-responses/background/send-in-background.ts'],
    worker('work-turn', 'round/background/with-responses', 'round/background/wait-for-response'),
  ),
  R41: rule(
    'A response that no round waits for is cancelled, counted once and deleted at its provider. A round is saved in one transaction with the mark that its response is used. The row outlives the turn until the deletion.',
    checkpoint('background/save-response', 'background/take-responses', 'background/save-with-responses'),
    checkpoint('background/settle-response', 'batches/save-answers', 'batches/save-with-answers'),
    checkpoint('batches/ask-batch', 'batches/settle-answers', 'deletion/hide'),
    worker('routines/close-responses', 'round/background/saving-context'),
  ),
  R42: rule(
    'The owner of a batch commits its requests before it sends the batch. A batch without an answer is adopted from a listing, and is sent again only if it can no longer appear there.',
    checkpoint('batches/ask-batch', 'batches/confirm-batch', 'batches/refuse-batch', 'batches/split-batch'),
    worker('batches/batch-work', 'batches/find-batch', 'batches/send-batch', 'round/batched/enter'),
    ['packages/core/llm/batches/anthropic/find-batch.ts'],
  ),
  R43: rule(
    'A request of a round is in one batch at a time. Its answer is stored in one commit with the wakeup of its turn, which waits only while no answer is stored.',
    checkpoint('batches/claim-batches', 'batches/enter-batch', 'batches/refuse-batch', 'batches/save-answers'),
    worker('batches/render-line', 'batches/store-answers'),
  ),
  R44: rule(
    'A batch is deleted at its provider after all its answers are stored, and cancelled if no round waits for an answer. Its row outlives it.',
    checkpoint('batches/collect-batch', 'batches/take-batches'),
    worker('batches/work-batch'),
  ),
} satisfies Record<string, Rule>;
