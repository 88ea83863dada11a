import { options } from 'preact';

/** Characters that reverse the order of a shown text. A person must not decide on a text that hides its order. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Makes every text on the page spell out bidirectional controls, including the texts of models and tools. */
export function spellBidiControls(): void {
  const before = options.vnode;
  options.vnode = (vnode: { type: unknown; props: unknown }) => {
    // Preact makes a node without a type for each text, also if a component returns the text.
    if (vnode.type === null && typeof vnode.props === 'string') vnode.props = spelled(vnode.props);
    before?.(vnode as never);
  };
}

export function spelled(text: string): string {
  return text.replace(BIDI_CONTROLS, (control) => `⟨U+${control.charCodeAt(0).toString(16).toUpperCase()}⟩`);
}
