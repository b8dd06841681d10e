import type { LogRecord, TimeWindow } from '../../domain/telemetry/records.js';
import { fitting } from '../http/fitting.js';
import { readTargets, type NodePart, type SourceTarget } from '../http/source-targets.js';
import type { SourceServer } from '../http/source-server.js';
import { LogSource, notRecorded, type LogQuery, type SourceAnswer } from '../ports.js';

/** The query to a server: the newest lines of a window. */
export interface LinesQuestion {
  selector: string;
  window: TimeWindow;
  /** Lines that contain it, whatever its case. */
  text?: string;
  /** Lines that look like faults, by their words or level; or the others. Absent: all. */
  lines?: 'telling' | 'other';
  most: number;
}

/** How log lines are read from a kind of server. */
export interface LogServerReader {
  /** The newest lines first. @throws SourceError; the signal's reason */
  read(
    server: SourceServer,
    question: LinesQuestion,
    signal: AbortSignal,
  ): Promise<Omit<LogRecord, 'node'>[]>;
  /**
   * Refuses queries that would cost the server too much.
   * @throws SourceError; the signal's reason
   */
  admit?(
    server: SourceServer,
    part: Pick<LinesQuestion, 'selector' | 'window'>,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface LogTarget extends SourceTarget, LogServerReader {}

/**
 * Number of parts of the window in which lines are sampled, so that a burst does not hide earlier
 * lines.
 */
const PARTS = 4;
const TELLING = 250;
const OTHER = 100;
const PAGE = 100;
/** In ms: the finest time of a record. */
const MICROSECOND = 0.001;
/** Maximum lines of a node that one search reads. */
const MOST_LINES = 1_000;

/**
 * Logs of servers that hold them, read over one connection to each. A search pages back from the
 * newest line. For a whole diagnosis, each quarter of the window is sampled: up to 250 lines that
 * look like faults, and 100 others.
 */
export class ServedLogs extends LogSource {
  /** @param window of a diagnosis whose query names no time */
  constructor(
    private readonly targets: readonly LogTarget[],
    private readonly window: TimeWindow,
  ) {
    super();
  }

  records(query: LogQuery, signal: AbortSignal): SourceAnswer<LogRecord> {
    const wanted = linesWanted(query, this.window);
    const records = readTargets(this.targets, { node: query.node, signal }, (part, target) =>
      readNode(part, target, { wanted, signal }),
    );
    return { kind: 'records', coverage: 'partial', records };
  }

  patterns() {
    return notRecorded('log patterns');
  }
}

interface LinesWanted {
  window: TimeWindow;
  text?: string;
  isSearch: boolean;
}

/** The window of a query: a search may go back further than a diagnosis. */
export function linesWanted({ node, text, window }: LogQuery, own: TimeWindow): LinesWanted {
  const isSearch = node !== undefined || text !== undefined;
  const from = isSearch ? window.from : Math.max(window.from, own.from);
  return {
    window: { from, to: Math.min(window.to, own.to) },
    isSearch,
    ...(text !== undefined && { text }),
  };
}

async function* readNode(
  { server, node, selector }: NodePart,
  target: LogTarget,
  { wanted, signal }: { wanted: LinesWanted; signal: AbortSignal },
): AsyncGenerator<LogRecord> {
  const { window } = wanted;
  if (window.from > window.to) return;
  await target.admit?.(server, { selector, window }, signal);
  const read = (question: Omit<LinesQuestion, 'selector'>) =>
    fitting(question.most, (most) => target.read(server, { ...question, selector, most }, signal));
  for await (const record of linesOf(wanted, read)) yield { ...record, node };
}

/** Pages of a search, or samples of a window. */
export const linesOf = ({ isSearch, ...wanted }: LinesWanted, read: ReadLines) =>
  isSearch ? pagesOf(wanted, read) : samplesOf(wanted.window, read);

type ReadLines = (question: Omit<LinesQuestion, 'selector'>) => Promise<Omit<LogRecord, 'node'>[]>;

async function* samplesOf({ from, to }: TimeWindow, read: ReadLines) {
  const length = (to - from) / PARTS;
  for (let part = 0; part < PARTS; part += 1) {
    const end = from + (part + 1) * length;
    const window = { from: from + part * length, to: part === PARTS - 1 ? to : end - MICROSECOND };
    yield* await read({ window, lines: 'telling', most: TELLING });
    yield* await read({ window, lines: 'other', most: OTHER });
  }
}

/**
 * Pages back in time. A page begins at the time of the last line of the one before, whose lines are
 * not yielded again.
 */
async function* pagesOf({ window, text }: Pick<LogQuery, 'window' | 'text'>, read: ReadLines) {
  const wanted = text?.toLowerCase();
  let { to } = window;
  let known = new Set<string>();
  for (let count = 0; count < MOST_LINES && to >= window.from;) {
    const question = { window: { from: window.from, to }, most: PAGE };
    const page = await read({ ...question, ...(text !== undefined && { text }) });
    const keys = page.map(({ at, body }) => `${at} ${body}`);
    const added = page.filter((_, index) => !known.has(keys[index] ?? ''));
    // Some servers search words, and not any text.
    yield* added.filter(({ body }) => wanted === undefined || body.toLowerCase().includes(wanted));
    count += added.length;
    const oldest = page.at(-1)?.at;
    if (oldest === undefined || page.length < PAGE) return;
    // A whole page with a single time: further lines are omitted.
    to = added.length > 0 ? oldest : oldest - 1;
    known = new Set(keys);
  }
}
