import type {
  LanguageModelV3Message,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV3CallOptions as Options,
} from '@ai-sdk/provider';

/**
 * Returns the same call in the earlier version of the interface, which has files as plain data and no reasoning
 * effort.
 */
export function inEarlierVersion({ reasoning: _, prompt, tools, ...same }: LanguageModelV4CallOptions): Options {
  return { ...same, ...(tools ? { tools } : {}), prompt: prompt.map(earlierMessage) };
}

function earlierMessage(message: LanguageModelV4Message): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { ...message, content: message.content.map((part) => (part.type === 'file' ? earlierFile(part) : part)) };
    case 'assistant':
      return { ...message, content: message.content.flatMap(earlierPart) };
    case 'tool':
      return message as Extract<LanguageModelV3Message, { role: 'tool' }>;
  }
}

type EarlierFile = Extract<Extract<LanguageModelV3Message, { role: 'user' }>['content'][number], { type: 'file' }>;

function earlierFile({ data, ...part }: LanguageModelV4FilePart): EarlierFile {
  return { ...part, data: data.type === 'url' ? data.url : 'data' in data ? data.data : '' };
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type EarlierPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number];

/** Returns the parts of a reply without a package's own kinds, which the earlier version does not have. */
function earlierPart(part: AssistantPart): EarlierPart[] {
  return part.type === 'text' || part.type === 'reasoning' || part.type === 'tool-call' ? [part] : [];
}
