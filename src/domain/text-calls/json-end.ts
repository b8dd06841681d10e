/**
 * Finds the end of a JSON object or array in a text that arrives in pieces. Reads each character
 * once. It counts brackets and recognises strings, but does not validate the JSON.
 */
export class JsonEnd {
  private depth = 0;
  private inString = false;
  private escaped = false;

  /** @param at index of the opening `{` or `[` */
  constructor(private at: number) {}

  /** @returns the index after the closing bracket; undefined if the text does not contain it yet */
  find(text: string): number | undefined {
    for (; this.at < text.length; this.at++) {
      const char = text[this.at];
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (char === '\\') this.escaped = true;
        else if (char === '"') this.inString = false;
      } else if (char === '"') this.inString = true;
      else if (char === '{' || char === '[') this.depth++;
      else if ((char === '}' || char === ']') && --this.depth === 0) return ++this.at;
    }
    return undefined;
  }
}
