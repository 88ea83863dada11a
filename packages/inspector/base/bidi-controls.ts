import { options, type VNode } from 'preact';

/** Characters that reverse the order of a shown text: a person must not decide on a text that hides its order. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Makes every text on the page spell out bidirectional controls, whoever wrote the text. */
export function spellBidiControls(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode<{ children?: unknown }>) => {
    if (typeof vnode.type === 'string' && vnode.props.children !== undefined) {
      vnode.props.children = spelled(vnode.props.children) as never;
    }
    before?.(vnode);
  };
}

function spelled(children: unknown): unknown {
  if (typeof children === 'string') return children.replace(BIDI_CONTROLS, spell);
  return Array.isArray(children) ? children.map(spelled) : children;
}

function spell(character: string): string {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`;
}
