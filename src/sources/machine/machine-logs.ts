import type { LogRecord, TimeWindow } from '../../domain/telemetry/records.js';
import { type LinesQuestion, linesOf, linesWanted } from '../live/served-logs.js';
import { LogSource, notRecorded, type LogQuery, type SourceAnswer } from '../ports.js';
import { readNodes } from '../read-nodes.js';

/** Logs that lie on the machine of this process. */
export interface MachineLog {
  /** The id of the source. */
  id: string;
  /** By the id of a node. */
  selectors: ReadonlyMap<string, string>;
  /** The newest lines first. @throws SourceError; the signal's reason */
  read(question: LinesQuestion, signal: AbortSignal): Promise<Omit<LogRecord, 'node'>[]>;
}

/** Logs of the journal and of files, read as those of servers are. */
export class MachineLogs extends LogSource {
  /** @param window what a diagnosis reads where it asks for no time */
  constructor(
    private readonly logs: readonly MachineLog[],
    private readonly window: TimeWindow,
  ) {
    super();
  }

  records(query: LogQuery, signal: AbortSignal): SourceAnswer<LogRecord> {
    const wanted = linesWanted(query, this.window);
    const records = readNodes(
      this.logs,
      { node: query.node, signal },
      async function* (log, node, selector): AsyncGenerator<LogRecord> {
        if (wanted.window.from > wanted.window.to) return;
        const lines = linesOf(wanted, (question) => log.read({ ...question, selector }, signal));
        for await (const record of lines) yield { ...record, node };
      },
    );
    return { kind: 'records', coverage: 'partial', records };
  }

  patterns() {
    return notRecorded('log patterns');
  }
}
