import type { SourceError } from './http/source-error.js';
import { UnreadNodes } from './unread-nodes.js';

interface SelectedNodes {
  /** The id of the source. */
  id: string;
  /** By the id of a node. */
  selectors: ReadonlyMap<string, string>;
}

/**
 * Like `readTargets`, for readers that connect themselves, such as for a cluster, or need no
 * connection.
 */
export async function* readNodes<Target extends SelectedNodes, Item>(
  targets: readonly Target[],
  { node: asked, signal }: { node: string | undefined; signal: AbortSignal },
  read: (target: Target, node: string, selector: string) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  signal.throwIfAborted();
  const unread = new UnreadNodes();
  for (const target of targets) {
    let isDown: SourceError | undefined;
    for (const [node, selector] of target.selectors) {
      if (asked !== undefined && asked !== node) continue;
      try {
        if (isDown) throw isDown;
        yield* read(target, node, selector);
      } catch (error) {
        const own = unread.add(node, error, target.id);
        if (own.failure !== 'failed') isDown = own;
      }
    }
  }
  unread.throwIfAny(asked);
}
