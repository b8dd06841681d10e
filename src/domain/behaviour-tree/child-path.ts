/** Maximum number of nodes whose children are kept. */
const MOST_NODES = 4_096;
/** Children of a node that are kept; a loop over a list may have many more. */
const MOST_CHILDREN = 64;

const known = new Map<string, string[]>();

/**
 * The path of a child. Kept, because a text that is put together anew at each tick is also hashed
 * anew for each look into the memory.
 */
export function childPath(path: string, at: number): string {
  if (at >= MOST_CHILDREN) return `${path}.${at}`;
  let children = known.get(path);
  if (!children) {
    if (known.size >= MOST_NODES) known.clear();
    children = [];
    known.set(path, children);
  }
  return (children[at] ??= `${path}.${at}`);
}
