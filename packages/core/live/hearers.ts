/** Who listens to which topic, within this process. */
export type Hearers<T> = {
  add(topic: string, hear: (message: T) => void): () => void;
  tell(topic: string, message: T): void;
  topics(): string[];
  has(topic: string): boolean;
};

/** Keeps listeners by topic; the last one leaving a topic takes it along. */
export function makeHearers<T>(
  changed: { opened?(topic: string): void; closed?(topic: string): void } = {},
): Hearers<T> {
  const byTopic = new Map<string, Set<(message: T) => void>>();

  return {
    add(topic, hear) {
      const set = byTopic.get(topic) ?? new Set();
      if (set.size === 0) changed.opened?.(topic);
      byTopic.set(topic, set.add(hear));
      return () => {
        if (!set.delete(hear) || set.size > 0) return;
        byTopic.delete(topic);
        changed.closed?.(topic);
      };
    },
    tell: (topic, message) => {
      for (const hear of byTopic.get(topic) ?? []) hear(message);
    },
    topics: () => [...byTopic.keys()],
    has: (topic) => byTopic.has(topic),
  };
}
