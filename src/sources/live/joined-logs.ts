import type { LogRecord } from '../../domain/telemetry/records.js';
import { joinedAnswers } from '../joined-answers.js';
import { LogSource, notRecorded, type LogQuery, type SourceAnswer } from '../ports.js';

/** The logs of several sources. */
export class JoinedLogs extends LogSource {
  constructor(private readonly sources: readonly LogSource[]) {
    super();
  }

  records(query: LogQuery, signal: AbortSignal): SourceAnswer<LogRecord> {
    const answers = this.sources.map((source) => source.records(query, signal));
    return { kind: 'records', coverage: 'partial', records: joinedAnswers(answers, query.node) };
  }

  patterns() {
    return notRecorded('log patterns');
  }
}
