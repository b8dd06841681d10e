import type { Change } from '../../domain/telemetry/records.js';
import { joinedAnswers } from '../joined-answers.js';
import { ChangeSource, type ChangeQuery, type SourceAnswer } from '../ports.js';

/** The changes of several sources. */
export class JoinedChanges extends ChangeSource {
  constructor(private readonly sources: readonly ChangeSource[]) {
    super();
  }

  changes(query: ChangeQuery, signal: AbortSignal): SourceAnswer<Change> {
    const answers = this.sources.map((source) => source.changes(query, signal));
    return { kind: 'records', coverage: 'complete', records: joinedAnswers(answers, query.node) };
  }
}
