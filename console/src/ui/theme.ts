import { useSyncExternalStore } from 'react';

export type Theme = 'dark' | 'light';

const CHANGED = 'console:theme';
const read = (): Theme =>
  document.documentElement.dataset['theme'] === 'light' ? 'light' : 'dark';

function setTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem('console:theme', theme);
  } catch {
    // Storage may be denied; the choice lasts as long as the page.
  }
  dispatchEvent(new Event(CHANGED));
}

export const toggleTheme = (): void => setTheme(read() === 'dark' ? 'light' : 'dark');

export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    addEventListener(CHANGED, changed);
    return () => removeEventListener(CHANGED, changed);
  }, read);
}
