/**
 * Focuses an element once it is visible: parts of the page are loaded when they are wanted. Another
 * key or click ends the wait.
 */
export function focusWhenThere(id: string): void {
  const ended = new AbortController();
  const focus = (): void => {
    const element = document.getElementById(id);
    if (!element?.checkVisibility()) return;
    ended.abort();
    element.focus();
  };
  const changes = new MutationObserver(focus);
  changes.observe(document.body, { childList: true, subtree: true, attributes: true });
  ended.signal.addEventListener('abort', () => changes.disconnect());
  const stop = (): void => ended.abort();
  // The key that began this wait is still being dispatched.
  setTimeout(() => {
    for (const event of ['keydown', 'pointerdown'])
      addEventListener(event, stop, { capture: true, signal: ended.signal });
  });
  focus();
}
