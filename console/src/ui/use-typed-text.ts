import { useEffect, useRef, useState } from 'react';

/** The address follows what is typed after a pause. */
const PAUSE_MS = 200;

/**
 * A text of the address while it is typed. The address follows after a pause; when it does, it does
 * not take back what was typed since. A change of the address from elsewhere, such as Back,
 * replaces the text.
 * @param commit puts a text into the address
 * @returns the text of the field, and what sets it
 */
export function useTypedText(
  text: string,
  commit: (text: string) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(text);
  const latest = useRef({ commit, wanted: text });
  useEffect(() => {
    latest.current.commit = commit;
  });
  /** Texts that were committed and are not in the address yet, oldest first. */
  const underWay = useRef(new Set<string>());
  useEffect(() => {
    if (underWay.current.has(text)) {
      for (const sent of underWay.current) {
        underWay.current.delete(sent);
        if (sent === text) return;
      }
    }
    underWay.current.clear();
    latest.current.wanted = text;
    setTyped(text);
  }, [text]);
  useEffect(() => {
    if (typed === latest.current.wanted) return;
    const timer = setTimeout(() => {
      underWay.current.add(typed);
      latest.current.wanted = typed;
      latest.current.commit(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}
