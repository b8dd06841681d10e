/** The contract's checker is plain JavaScript; this is what it gives. */
declare module '*/check-stream.mjs' {
  /** @param text the body of a stream read from sequence 1 to its end */
  export function check(text: string): {
    problems: string[];
    events: import('./event-stream.js').CheckedEvent[];
  };
}
