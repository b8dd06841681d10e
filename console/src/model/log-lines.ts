import { kindOf, lineOf } from './event-words.js';
import { isProblem } from './problem.js';
import type { RunModel } from './run-model.js';
import type { LogEvent } from './types.js';

/** A line of the log: an event, or the text of one turn from `seq` to `last`. */
export interface LogLine {
  seq: number;
  last: number;
  text: string;
}

export interface LogQuery {
  /** `compact`: the text of a turn in one line. */
  mode: 'compact' | 'all' | 'json';
  show: 'all' | 'problems' | 'tools' | 'dispatch' | 'model' | 'system';
  node: string | null;
  text: string;
}

const LONGEST = 400;

/** The lines that fit a query, kept as the log grows: what was read is not read again. */
export class LogLines {
  private readonly lines: LogLine[] = [];
  private readonly open = new Map<string, LogLine>();
  private readonly needle: string;
  private read = 0;

  constructor(private readonly query: LogQuery) {
    this.needle = query.text.trim().toLowerCase();
  }

  update(model: RunModel): readonly LogLine[] {
    for (; this.read < model.last; this.read++) {
      const event = model.events[this.read];
      if (event && this.fits(event, model)) this.take(event);
    }
    return this.lines;
  }

  private take(event: LogEvent): void {
    const { mode } = this.query;
    const { sequence: seq } = event;
    const isText = event.name === 'llm.stream' || event.name === 'llm.reasoning';
    // While a text is searched, a delta is found by itself: its turn may not be open yet.
    if (mode === 'compact' && isText && this.needle === '') {
      const { dispatch_id: dispatch, turn, attempt } = event.data;
      const key = `${event.name} ${dispatch} ${turn} ${attempt}`;
      const open = this.open.get(key);
      if (open) {
        open.last = seq;
        if (open.text.length < LONGEST) open.text += lineOf(event);
        return;
      }
      const line = { seq, last: seq, text: lineOf(event) };
      this.open.set(key, line);
      this.lines.push(line);
      return;
    }
    const text = mode === 'json' ? JSON.stringify(event.data) : lineOf(event);
    if (!this.matches(event, text)) return;
    this.lines.push({ seq, last: seq, text: text.slice(0, LONGEST) });
  }

  private matches(event: LogEvent, text: string): boolean {
    if (this.needle === '') return true;
    const where = `${text} ${event.name} ${kindOf(event)} ${event.source?.agent_name ?? ''}`;
    return where.toLowerCase().includes(this.needle);
  }

  private fits(event: LogEvent, model: RunModel): boolean {
    const { node } = this.query;
    return fitsFilter(event, this.query.show) && (node === null || isAbout(event, node, model));
  }
}

function fitsFilter(event: LogEvent, show: LogQuery['show']): boolean {
  const { name } = event;
  switch (show) {
    case 'all':
      return true;
    case 'problems':
      return isProblem(event);
    case 'tools':
      return name === 'llm.tool_call' || name === 'llm.tool_result';
    case 'dispatch':
      return name.startsWith('dispatch.');
    case 'model':
      return name === 'llm.stream' || name === 'llm.reasoning' || name === 'llm.usage';
    case 'system':
      return name.startsWith('system.') || name.startsWith('lifecycle.');
  }
}

function isAbout(event: LogEvent, node: string, model: RunModel): boolean {
  if (event.name === 'llm.tool_call' && event.data.args['node'] === node) return true;
  if (event.name === 'llm.tool_result')
    return model.calls.get(event.data.tool_call_id)?.bar.node === node;
  if (event.name === 'dispatch.report')
    return (
      model.rows.get(event.data.dispatch_id)?.node === node ||
      event.data.findings.some((finding) => finding.node === node)
    );
  const dispatch = (event.data as { dispatch_id?: string | null } | null)?.dispatch_id;
  return typeof dispatch === 'string' && model.rows.get(dispatch)?.node === node;
}

/** The index of the line that an event is in, or of the last one before it. */
export function lineAt(lines: readonly LogLine[], seq: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.seq ?? 0) <= seq) low = middle;
    else high = middle - 1;
  }
  return low;
}
