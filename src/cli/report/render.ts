import { isTerminal, type NamedEvent } from '../../domain/events/event.js';
import { plain, type Paint } from './paint.js';
import { renderReport, type LastEvent } from './render-report.js';
import { RunFacts } from './run-facts.js';
import { Transcript } from './transcript.js';

/**
 * A renderer of one run: give it each event, print the lines that it returns. No I/O and no clock:
 * times are those of the events, so that a log renders the same whenever it is read.
 */
export function createRenderer({
  columns = 100,
  paint = plain,
}: { columns?: number; paint?: Paint } = {}): (event: NamedEvent) => string[] {
  const facts = new RunFacts();
  const width = Math.max(columns, 60);
  const transcript = new Transcript(facts, width, paint);
  return (event) => {
    facts.add(event);
    const lines = transcript.next(event);
    if (!isLast(event)) return lines;
    return [...lines, ...renderReport(event, { facts, columns: width, paint })];
  };
}

export const isLast = (event: NamedEvent): event is LastEvent => isTerminal(event.name);
