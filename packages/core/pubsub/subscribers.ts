export type Subscribers<Message> = {
  subscribe(topic: string, receive: (message: Message) => void): () => void;
  publish(topic: string, message: Message): void;
  has(topic: string): boolean;
};

/** Keeps subscribers by topic. The last subscriber to leave a topic closes it. */
export function makeSubscribers<Message>(
  changed: { opened?(topic: string): void; closed?(topic: string): void } = {},
): Subscribers<Message> {
  const byTopic = new Map<string, Set<(message: Message) => void>>();

  return {
    subscribe(topic, receive) {
      const subscribed = byTopic.get(topic) ?? new Set();
      if (subscribed.size === 0) changed.opened?.(topic);
      byTopic.set(topic, subscribed.add(receive));
      return () => {
        if (!subscribed.delete(receive) || subscribed.size > 0) return;
        byTopic.delete(topic);
        changed.closed?.(topic);
      };
    },
    publish: (topic, message) => {
      for (const receive of byTopic.get(topic) ?? []) receive(message);
    },
    has: (topic) => byTopic.has(topic),
  };
}
