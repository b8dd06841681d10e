import { useCallback, useState, type ReactNode } from 'react';

const LEAST_MS = 2_600;
/** What a person takes to read a character. */
const CHARACTER_MS = 80;

const shownFor = (text: string): number => Math.max(LEAST_MS, text.length * CHARACTER_MS);

/** A short confirmation at the foot of the page. @returns how to show one, and where it stands */
export function useToast(): [(text: string) => void, ReactNode] {
  const [text, setText] = useState<string | null>(null);
  const show = useCallback((next: string) => {
    setText(next);
    setTimeout(() => setText((current) => (current === next ? null : current)), shownFor(next));
  }, []);
  const place = (
    <div className={text === null ? 'sr' : 'toast'} role="status">
      {text}
    </div>
  );
  return [show, place];
}
