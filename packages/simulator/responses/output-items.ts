import type { SimulatedReply } from '../reply.ts';
import { encryptedContentOf } from './encrypted-content.ts';
import { type HostedItem, hostedItems } from './hosted-items.ts';
import { annotationsOf, type OutputAnnotation } from './scripted-hosted.ts';

export type OutputPart =
  | { type: 'summary_text'; text: string }
  | { type: 'output_text'; text: string; annotations: OutputAnnotation[]; logprobs: [] }
  | { type: 'refusal'; refusal: string };

export type OutputItem =
  | { id: string; type: 'reasoning'; summary: OutputPart[]; encrypted_content?: string }
  | { id: string; type: 'message'; status: string; role: 'assistant'; content: OutputPart[] }
  | HostedItem
  | { id: string; type: 'function_call'; status: string; call_id: string; name: string; arguments: string };

/**
 * Writes a reply as output items: reasoning, the hosted calls, a message with text and refusal, then the calls.
 * `include` decides which results the hosted calls show.
 */
export function outputItems(
  reply: SimulatedReply,
  how: { id: string; include: readonly string[]; encrypts: boolean; status: string },
): OutputItem[] {
  const { id, encrypts, status } = how;
  const encrypted = encrypts ? { encrypted_content: encryptedContentOf(reply.reasoning) } : {};
  const content: OutputPart[] = [];
  if (reply.text) {
    const annotations = annotationsOf(reply.citations, reply.text);
    content.push({ type: 'output_text', text: reply.text, annotations, logprobs: [] });
  }
  if (reply.refusal !== null) content.push({ type: 'refusal', refusal: reply.refusal });

  const items: OutputItem[] = [];
  if (reply.reasoning) {
    const summary = [{ type: 'summary_text' as const, text: reply.reasoning }];
    items.push({ id: `rs_${id}`, type: 'reasoning', summary, ...encrypted });
  }
  items.push(...hostedItems(reply.hosted, how));
  if (content.length) items.push({ id: `msg_${id}`, type: 'message', status, role: 'assistant', content });
  for (const [index, call] of reply.calls.entries()) {
    const { id: call_id, name, arguments: args } = call;
    items.push({ id: `fc_${id}${index}`, type: 'function_call', status, call_id, name, arguments: args });
  }
  return items;
}
