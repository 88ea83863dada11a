/** Items in runs of one or more: an item joins the run before it if it continues the first item of that run. */
export function runsOf<Item>(items: Item[], isContinued: (first: Item, next: Item) => boolean): [Item, ...Item[]][] {
  const runs: [Item, ...Item[]][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last && isContinued(last[0], item)) last.push(item);
    else runs.push([item]);
  }
  return runs;
}
