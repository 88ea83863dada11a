/** What the schema of an event of this type is called: `round.completed` is a RoundCompletedEvent. */
export function nameEvent(type: string): string {
  return `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}
