import { options } from 'preact';

export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** Moves the focus to the page if a rendering removes the focused element. The keyboard would restart at the top. */
export function keepFocus(): void {
  const { unmount } = options;
  let isWatching = false;
  options.unmount = (node) => {
    unmount?.(node);
    const focused = document.activeElement;
    if (isWatching || focused === null || focused === document.body) return;
    isWatching = true;
    queueMicrotask(() => {
      isWatching = false;
      if (!focused.isConnected) restoreFocus();
    });
  };
}

export function restoreFocus(): void {
  if (document.activeElement === document.body) focusMain();
}
