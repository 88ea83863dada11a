type Fields = Record<string, unknown>;
type Mark = { type?: unknown; ttl?: unknown };
type Content = string | Fields[] | undefined;

/** The fields of a Messages body that affect its cache. */
export type AnthropicBody = {
  model?: unknown;
  tools?: Fields[];
  system?: Content;
  messages?: { role?: unknown; content?: Content }[];
  tool_choice?: Fields;
  thinking?: Fields;
  output_config?: Fields;
  cache_control?: Mark;
};

/** One block in the order of the cache: tools, system, messages. `path` is its name in errors of the provider. */
export type AnthropicBlock = { tier: 'tools' | 'system' | 'messages'; path: string; role: string; value: Fields };

/** Returns the blocks of a request, each with its mark. */
export function anthropicBlocks({ tools = [], system, messages = [] }: AnthropicBody): AnthropicBlock[] {
  return [
    ...tools.map((value, at) => ({ tier: 'tools' as const, path: `tools.${at}`, role: '', value })),
    ...contentBlocks(system).map((value, at) => ({ tier: 'system' as const, path: `system.${at}`, role: '', value })),
    ...messages.flatMap(({ role, content }, index) =>
      contentBlocks(content).map((value, at) => ({
        tier: 'messages' as const,
        path: `messages.${index}.content.${at}`,
        role: String(role),
        value,
      })),
    ),
  ];
}

/** Returns the JSON of a block without marks, which are not part of the prefix. */
export function textOfBlock({ value: { cache_control: _, ...value } }: AnthropicBlock): string {
  const { content } = value;
  const unmarked = Array.isArray(content) ? { content: content.map(({ cache_control: _, ...part }) => part) } : {};
  return JSON.stringify({ ...value, ...unmarked });
}

export function markOf({ value }: AnthropicBlock): Mark | null {
  return (value.cache_control as Mark | null | undefined) ?? null;
}

export function ttlOf({ ttl }: Mark): '5m' | '1h' {
  return ttl === '1h' ? '1h' : '5m';
}

function contentBlocks(content: Content): Fields[] {
  if (content === undefined) return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
