/**
 * Finds where a JSON object or array ends, a piece at a time and each character once. It counts brackets and knows strings;
 * whether it is JSON is not its business.
 */
export class JsonEnd {
  private depth = 0;
  private inString = false;
  private escaped = false;

  /** @param at where it begins: at `{` or `[` */
  constructor(private at: number) {}

  /** @returns the index behind the last bracket; undefined while it is not there */
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
