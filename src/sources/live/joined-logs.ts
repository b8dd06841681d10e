import type { LogRecord } from '../../domain/engine/records.js';
import { LogSource, notRecorded, type LogQuery, type SourceAnswer } from '../ports.js';
import { UnreadNodes } from '../unread-nodes.js';

/** The logs of several sources, one after the other; each is read though another cannot be. */
export class JoinedLogs extends LogSource {
  constructor(private readonly sources: readonly LogSource[]) {
    super();
  }

  records(query: LogQuery, signal: AbortSignal): SourceAnswer<LogRecord> {
    return { kind: 'records', coverage: 'partial', records: this.read(query, signal) };
  }

  patterns() {
    return notRecorded('log patterns');
  }

  private async *read(query: LogQuery, signal: AbortSignal): AsyncGenerator<LogRecord> {
    const unread = new UnreadNodes();
    for (const source of this.sources) {
      const answer = source.records(query, signal);
      try {
        if (answer.kind === 'records') yield* answer.records;
      } catch (error) {
        if (query.node === undefined) unread.addAll(error);
        else unread.add(query.node, error);
      }
    }
    unread.throwIfAny(query.node);
  }
}
