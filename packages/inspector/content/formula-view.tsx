import { useEffect, useRef } from 'preact/hooks';
import { spelled } from '../base/bidi-controls.ts';
import { scrollable } from '../base/fact-list.tsx';
import type { Formula } from './markdown.ts';

/** A formula as MathML. It shows its TeX until the page has loaded the package, or permanently if the TeX is not valid. */
export function FormulaView({ formula: { text, raw, isBlock } }: { formula: Formula }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    let isShown = true;
    const draw = async () => {
      const { default: temml } = await import('temml');
      const drawn = document.createElement('span');
      temml.render(text, drawn, { displayMode: isBlock, throwOnError: true, maxSize: [20, 50] });
      // TeX can name a character by its number. A formula that reverses the order of its text is shown as TeX.
      const isOrdered = drawn.textContent === spelled(drawn.textContent);
      if (isShown && isOrdered) place.current?.replaceChildren(...drawn.childNodes);
    };
    place.current?.replaceChildren(spelled(raw));
    draw().catch(() => {});
    return () => {
      isShown = false;
    };
  }, [text, raw, isBlock]);
  if (!isBlock) return <code ref={place} class="formula" />;
  return <code ref={place} class="formula block" {...scrollable(`Formula ${spelled(text.slice(0, 60))}`)} />;
}
