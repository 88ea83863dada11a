import { useEffect, useRef } from 'preact/hooks';
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
      if (isShown) place.current?.replaceChildren(...drawn.childNodes);
    };
    place.current?.replaceChildren(raw);
    draw().catch(() => {});
    return () => {
      isShown = false;
    };
  }, [text, raw, isBlock]);
  return <code ref={place} class={isBlock ? 'formula block' : 'formula'} />;
}
