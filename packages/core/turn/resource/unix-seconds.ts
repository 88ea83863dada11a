/** Returns a time as OpenAI's API has it: whole seconds since 1970. */
export function unixSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1_000);
}
