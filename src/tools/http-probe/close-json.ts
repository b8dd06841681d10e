const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
/**
 * A text, which is skipped completely, or a character of the structure. A text that was cut extends
 * to the end, so that none is searched twice.
 */
const TOKENS = /"(?:[^"\\]|\\.?)*(?:"|$)|[{}[\],]/gs;

/**
 * Closes JSON that was cut: incomplete parts at the end are removed, and open objects and lists are
 * closed. Linear in its length.
 */
export function closeJson(text: string): string {
  const open: string[] = [];
  let end = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const closer = CLOSERS[token];
    if (closer !== undefined) open.push(closer);
    else if (token === '}' || token === ']') open.pop();
    else if (token !== ',') continue;
    end = token === ',' ? index : index + 1;
  }
  return text.slice(0, end) + open.reverse().join('');
}
