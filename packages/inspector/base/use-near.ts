import { useEffect, useRef, useState } from 'preact/hooks';

/** Returns whether the element `place` is in the view, or nearer to the view than this margin. */
export function useNear<Place extends Element>(rootMargin = '0px') {
  const place = useRef<Place>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const note = (entries: IntersectionObserverEntry[]) => setNear(entries.at(-1)?.isIntersecting ?? false);
    const observer = new IntersectionObserver(note, { rootMargin });
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, [rootMargin]);
  return { place, isNear };
}
