import { shorten } from '../../text.ts';
import type { AssistantExtras, Message } from '../message.ts';
import type { Part } from '../request/item.ts';
import type { HostedCall } from './hosted.ts';

/** The maximum characters of an output in a note. */
const MOST_OUTPUT = 2_000;

/** The text before images of replies that another provider made. The history has them as a message of the user. */
const IMAGES = 'Images that the assistant made above:';

/**
 * Returns a history for the provider `receiver`, or for any provider without state (null). Notes replace the hosted
 * calls of replies with state that it does not get back. Images of these replies follow in a message of the user,
 * after the results of the reply's own calls.
 */
export function withHostedNotes(messages: Message[], receiver: string | null): Message[] {
  if (!messages.some((message) => isForeign(message, receiver))) return messages;
  const sent: Message[] = [];
  let images: Part[] = [];
  const flush = () => {
    if (images.length > 0) sent.push(imagesMessage(images));
    images = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') flush();
    const isNoted = isForeign(message, receiver);
    if (isNoted) images = message.parts ?? [];
    sent.push(isNoted ? noted(message) : message);
  }
  flush();
  return sent;
}

type Assistant = Extract<Message, { role: 'assistant' }>;

function isForeign(message: Message, receiver: string | null): message is Assistant {
  return message.role === 'assistant' && hasExtras(message) && !isKept(message, receiver);
}

function imagesMessage(images: Part[]): Message {
  return { role: 'user', content: IMAGES, parts: [{ type: 'input_text', text: IMAGES }, ...images] };
}

/** Returns a reply with notes in place of its hosted calls and images. */
export function noted<Spoken extends AssistantExtras & { content: string | null }>(message: Spoken): Spoken {
  const { hosted = [], parts = [], ...bare } = message;
  const notes = [...hosted.map(noteOf), ...parts.map(() => '[The model made an image.]')];
  if (notes.length === 0) return message;
  const content = [...notes, ...(message.content ? [message.content] : [])].join('\n');
  // Only the two removed fields are missing, and both are optional.
  return { ...bare, content } as Spoken;
}

function hasExtras({ hosted, parts }: AssistantExtras): boolean {
  return hosted !== undefined || parts !== undefined;
}

function isKept({ opaque }: AssistantExtras, receiver: string | null): boolean {
  return opaque?.provider === receiver && !opaque?.isRefused;
}

function noteOf({ type, input, output, error }: HostedCall): string {
  const asked = input ? ` ${JSON.stringify(input)}` : '';
  const answer = error ?? output;
  const result = answer ? `: ${shorten(answer, MOST_OUTPUT)}` : '.';
  return `[The provider ran ${type}${asked}${result}]`;
}
