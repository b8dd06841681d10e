import { useEffect, useRef, useState } from 'react';

/** The address follows what is typed after a pause. */
const PAUSE_MS = 200;

/**
 * Texts that a field has sent to where its text is kept, and that have not come back yet, oldest
 * first: one that comes back is no change from elsewhere, and older than what is typed.
 */
export class SentTexts {
  readonly #sent = new Set<string>();

  add(text: string): void {
    this.#sent.delete(text);
    this.#sent.add(text);
  }

  /** Whether a text that arrives was sent. It, and those that were sent before it, have arrived. */
  takes(text: string): boolean {
    const known = this.#sent.has(text);
    for (const sent of this.#sent) {
      this.#sent.delete(sent);
      if (known && sent === text) break;
    }
    return known;
  }
}

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
  const underWay = useRef(new SentTexts());
  useEffect(() => {
    if (underWay.current.takes(text)) return;
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
