import { useCallback, useState, type ReactNode } from 'react';

const SHOWN_MS = 2_600;

/** A short confirmation at the foot of the page. @returns how to show one, and where it stands */
export function useToast(): [(text: string) => void, ReactNode] {
  const [text, setText] = useState<string | null>(null);
  const show = useCallback((next: string) => {
    setText(next);
    setTimeout(() => setText((current) => (current === next ? null : current)), SHOWN_MS);
  }, []);
  const place = (
    <div className={text === null ? 'sr' : 'toast'} role="status">
      {text}
    </div>
  );
  return [show, place];
}
