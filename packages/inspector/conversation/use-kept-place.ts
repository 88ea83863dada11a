import { useEffect, useRef } from 'preact/hooks';

/** Within this distance a person is at the end of the page. */
const SLACK_PX = 120;

/**
 * Keeps the place of a person while the element `place` grows: the end of the page if they are there, else the text in
 * the window while earlier turns appear above it. `goToEnd` goes to the end at the next growth.
 */
export function useKeptPlace() {
  const place = useRef<HTMLDivElement>(null);
  const below = useRef(0);
  useEffect(() => {
    let first: string | null = null;
    const note = () => {
      below.current = belowNow();
    };
    const keep = () => {
      const now = place.current?.querySelector('.thread-turn')?.getAttribute('data-turn') ?? null;
      if (below.current <= SLACK_PX) scrollTo(0, document.documentElement.scrollHeight);
      else if (now !== first) scrollBy(0, belowNow() - below.current);
      first = now;
      note();
    };
    const observer = new ResizeObserver(keep);
    if (place.current) observer.observe(place.current);
    addEventListener('scroll', note);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', note);
    };
  }, []);
  return {
    place,
    goToEnd: () => {
      below.current = 0;
    },
  };
}

function belowNow(): number {
  return document.documentElement.scrollHeight - scrollY - innerHeight;
}
