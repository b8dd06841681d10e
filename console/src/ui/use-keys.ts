import { useLayoutEffect, useRef } from 'react';

/** By key; with Shift and a key of more than one letter: `Shift+ArrowLeft`. */
export type KeyMap = Record<string, () => void>;

/** The element that a key is pressed in, also within a shadow root, as the editor's is. */
const targetOf = (event: KeyboardEvent): HTMLElement => event.composedPath()[0] as HTMLElement;

/** A range is moved by the keys of its page. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = targetOf(event);
  return target.isContentEditable || target.matches('input:not([type=range]), textarea, select');
}

/** Keys that a widget under the focus uses itself. */
const WIDGETS: Record<string, string> = {
  ' ': 'button, a, summary, [role=tab]',
  Enter: 'button, a, summary, [role=tab]',
  ArrowLeft: '[role=tablist], [role=tree], [role=listbox], .react-flow',
  ArrowRight: '[role=tablist], [role=tree], [role=listbox], .react-flow',
  Home: '[role=tablist], [role=tree], [role=listbox]',
  End: '[role=tablist], [role=tree], [role=listbox]',
};

/** Single keys: never while the user types, never with Ctrl, Alt or Meta, never behind a dialog. */
export function useKeys(keys: KeyMap): void {
  const current = useRef(keys);
  // A layout effect: the next key may come before effects run.
  useLayoutEffect(() => {
    current.current = keys;
  });
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      const target = targetOf(event);
      if (isTyping(event)) {
        if (event.key === 'Escape') target.blur();
        return;
      }
      const widgets = WIDGETS[event.key];
      if (widgets !== undefined && target.closest(widgets)) return;
      const shifted = event.shiftKey && event.key.length > 1;
      const run = current.current[shifted ? `Shift+${event.key}` : event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
