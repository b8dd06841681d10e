import { SourceConnection } from './source-connection.js';
import { SourceError } from './source-error.js';
import type { SourceServer } from './source-server.js';
import { UnreadNodes } from '../unread-nodes.js';

/** A server, with the selectors of the nodes that select from it. */
export interface SourceTarget {
  /** The id of the source. */
  id: string;
  /** How requests are sent to it; the error if SOURCES_FILE does not list it. */
  server: SourceServer | SourceError;
  /** By the id of a node. */
  selectors: ReadonlyMap<string, string>;
}

/** The query to a server for one node. */
export interface NodePart {
  /** Connected. */
  server: SourceServer;
  node: string;
  selector: string;
}

/**
 * Reads server by server, each over one connection, and node by node. A node that cannot be read
 * does not prevent others from being read; a server that does not answer or refuses is not asked
 * again. The records of a node come before the error of another of its sources.
 * @param asked the only node to be read; absent: all
 * @throws the error of the node that was asked for; UnreadNodesError; errors that are not a
 *   SourceError, such as the reason of a signal
 */
export async function* readTargets<Target extends SourceTarget, Item>(
  targets: readonly Target[],
  { node: asked, signal }: { node: string | undefined; signal: AbortSignal },
  read: (part: NodePart, target: Target) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  signal.throwIfAborted();
  const unread = new UnreadNodes();
  for (const target of targets) {
    if (target.server instanceof SourceError) {
      for (const node of target.selectors.keys())
        if (asked === undefined || asked === node) unread.add(node, target.server, target.id);
      continue;
    }
    const connection = new SourceConnection(target.server);
    const server = { ...target.server, connection };
    let isDown: SourceError | undefined;
    try {
      for (const [node, selector] of target.selectors) {
        if (asked !== undefined && asked !== node) continue;
        try {
          if (isDown) throw isDown;
          yield* read({ server, node, selector }, target);
        } catch (error) {
          const own = unread.add(node, error, target.id);
          if (own.failure !== 'failed') isDown = own;
        }
      }
    } finally {
      await connection.close();
    }
  }
  unread.throwIfAny(asked);
}
