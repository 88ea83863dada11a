import type { createLowlight } from 'lowlight';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { scrollable } from '../base/fact-list.tsx';
import { inOrder } from '../base/memo.tsx';

type Lowlight = ReturnType<typeof createLowlight>;
type Tree = ReturnType<Lowlight['highlight']>;

/** Longer code has no colours: the work would hold up the page. */
const MOST_CHARS = 20_000;

let loading: Promise<Lowlight> | null = null;

/** A block of code. The page loads the grammars with the first block that names its language. */
export function ColouredCode({ text, language }: { text: string; language: string }) {
  const [lowlight, setLowlight] = useState<Lowlight | null>(null);
  const hasColours = language !== '' && text.length <= MOST_CHARS;
  useEffect(() => {
    if (!hasColours) return;
    loading ??= loadLowlight();
    loading.then(setLowlight, () => {
      // Code without colours is complete, too. The next block loads the grammars again.
      loading = null;
    });
  }, [hasColours]);
  const tree = hasColours && lowlight?.registered(language) ? lowlight.highlight(language, text) : null;
  return (
    <pre {...scrollable(language ? `Code in ${language}` : 'Code')}>
      <code>{tree ? inOrder(tree.children, nodeView) : text}</code>
    </pre>
  );
}

async function loadLowlight(): Promise<Lowlight> {
  const { common, createLowlight } = await import('lowlight');
  return createLowlight(common);
}

function nodeView(node: Tree['children'][number]): ComponentChildren {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return null;
  const { className } = node.properties;
  return <span class={Array.isArray(className) ? className.join(' ') : ''}>{inOrder(node.children, nodeView)}</span>;
}
