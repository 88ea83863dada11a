/** A list that has one page: what an installation has few of. */
export function wholeList<Item>(data: Item[]) {
  return { object: 'list' as const, data, has_more: false, next_cursor: null };
}
