import { errorOfSource, joinedError, SourceError } from './http/source-error.js';

/** Some nodes could not be read; the records of other nodes came before it. */
export class UnreadNodesError extends SourceError {
  /** @param nodes why, by the id of the node; at least one */
  constructor(readonly nodes: ReadonlyMap<string, SourceError>) {
    const [[id, { failure, message, status }] = ['', new SourceError('failed', '')]] = nodes;
    const more = nodes.size - 1;
    const others = more > 0 ? `, and ${more} more ${more === 1 ? 'node' : 'nodes'}` : '';
    super(failure, `${id}: ${message}${others}`, status === undefined ? {} : { status });
  }
}

/** Collects why nodes cannot be read, so that one does not prevent others from being read. */
export class UnreadNodes {
  private readonly errors = new Map<string, SourceError>();

  /**
   * @param source the id of the source that could not be read
   * @throws anything but a SourceError, such as the reason of a signal
   */
  add(node: string, error: unknown, source?: string): SourceError {
    if (!(error instanceof SourceError)) throw error;
    const known = this.errors.get(node);
    const own = source === undefined ? error : errorOfSource(source, error);
    this.errors.set(node, known ? joinedError(known, own) : own);
    return error;
  }

  /** @throws anything but an UnreadNodesError */
  addAll(error: unknown): void {
    if (!(error instanceof UnreadNodesError)) throw error;
    for (const [node, each] of error.nodes) this.add(node, each);
  }

  /**
   * @param asked the only node that was asked for
   * @throws the error of that node; UnreadNodesError of several
   */
  throwIfAny(asked?: string): void {
    const own = asked === undefined ? undefined : this.errors.get(asked);
    if (own) throw own;
    if (this.errors.size > 0) throw new UnreadNodesError(this.errors);
  }
}
