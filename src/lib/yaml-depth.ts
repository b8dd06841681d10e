const INDICATORS = /^(?:[ \t]*[-?:](?=[ \t]))+/;
const INDENT = /^ */;

/**
 * Computes an upper bound of the nesting of a YAML text in one pass over its lines, before a
 * recursive parser reads it. Brackets in texts and comments count, too.
 */
export function yamlDepth(text: string): number {
  /** Columns of the open blocks. */
  const blocks: number[] = [];
  let brackets = 0;
  let most = 0;
  for (const line of text.split('\n')) {
    const indent = INDENT.exec(line)?.[0].length ?? 0;
    if (indent === line.trimEnd().length) continue;
    while ((blocks.at(-1) ?? -1) >= indent) blocks.pop();
    blocks.push(indent);
    const compact = INDICATORS.exec(line)?.[0].replace(/\s/g, '').length ?? 0;
    let deepest = brackets;
    for (const character of line) {
      if (character === '[' || character === '{') deepest = Math.max(deepest, ++brackets);
      else if (character === ']' || character === '}') brackets = Math.max(0, brackets - 1);
    }
    most = Math.max(most, blocks.length + compact + deepest);
  }
  return most;
}
