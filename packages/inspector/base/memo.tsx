import { Component, type ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** Renders items that have no key. Each view keeps its elements by its position. */
export function inOrder<Item>(items: readonly Item[], view: (item: Item) => ComponentChildren) {
  return <>{items.map((item) => view(item))}</>;
}

/** Renders its child again only if `state` has changed, by deep comparison. For the many rows of a long page. */
export class Memo extends Component<{ state: unknown; children: () => ComponentChildren }> {
  override shouldComponentUpdate(next: { state: unknown }) {
    return !isSame(this.props.state, next.state);
  }
  override render() {
    return this.props.children();
  }
}

/** Returns whether two values are deeply equal. An object equals itself without a comparison of fields. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => isSame(Reflect.get(a, key), Reflect.get(b, key)));
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Pawl`;
  }, [title]);
}

/** Groups items into runs. An item joins the run before it if it continues the first item of that run. */
export function runsOf<Item>(items: Item[], isContinued: (first: Item, next: Item) => boolean): [Item, ...Item[]][] {
  const runs: [Item, ...Item[]][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last && isContinued(last[0], item)) last.push(item);
    else runs.push([item]);
  }
  return runs;
}
