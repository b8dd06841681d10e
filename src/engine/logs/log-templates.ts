import { Drain, type Template } from './drain.js';
import type { IncidentFrame, LogRecord } from '../../domain/telemetry/records.js';
import { FailedUnits, hasRecovered, type FailedUnit } from './failed-units.js';
import { countAt, noCounts, type LateCounts } from './late-counts.js';
import { messageIn } from './said-in-line.js';
import { messageIdsIn } from './same-message.js';
import { severityOf } from './log-severity.js';

/** A kind of log line of one node, and when it was seen. */
export interface LogTemplate {
  id: string;
  node?: string;
  error: boolean;
  warning: boolean;
  first: number;
  last: number;
  count: number;
  /** The number of occurrences before the middle of the time that led up to the report. */
  early: number;
  /** The number of occurrences since then. */
  late: LateCounts;
  /** The first line of the kind. */
  sample: LogRecord;
  template?: Template;
  /** Only a part of the lines was read: a missing line has little meaning. */
  isCut?: true;
  /**
   * For errors: the name of the message that all lines are about, if the message is redelivered.
   */
  ids?: string[];
  /** For errors: the units of work that each of the first lines names. */
  failed?: FailedUnit[][];
  /** It was rare before `first`, and is frequent since. */
  surges?: true;
}

/**
 * The place in the code that wrote a line, where the line has one: `a.b.Class#123`, `file.go:45`.
 */
const PLACE =
  /(?:^|[\s[(])((?:[a-z_$][\w$]*\.)+[A-Z][\w$]*[#:]\d+|[\w./-]+\.(?:go|py|js|ts|java|rb|rs|cpp|cc|cs|kt|scala|php):\d+)\b/;
const LOOKED_AT = 2_000;
const MOST_FAILED = 50;

/**
 * Groups log lines into templates and counts them, one line at a time. Lines that name the place in
 * the code that wrote them are grouped by it: Drain splits lines with lists of different length.
 * All others are grouped by Drain; JSON objects only by their message and error, as their other
 * fields contain ids and times.
 */
export class LogTemplates {
  private readonly drain = new Drain();
  private readonly found = new Map<string, LogTemplate>();
  private readonly units = new FailedUnits();

  /** @param quietUntil lines before this time count as `early` */
  constructor(private readonly quietUntil: number) {}

  add(record: LogRecord): LogTemplate {
    const place = PLACE.exec(record.body.slice(0, LOOKED_AT))?.[1];
    const template =
      place === undefined ? this.drain.add(messageIn(record.body) ?? record.body) : undefined;
    const severity = severityOf(record);
    const error = severity === 'error';
    const id = `${record.node ?? ''} ${error ? 'E' : 'I'} ${place ?? `#${template?.id}`}`;
    let known = this.found.get(id);
    if (known === undefined) {
      known = {
        id,
        error,
        warning: severity === 'warning',
        count: 0,
        early: 0,
        late: noCounts(),
        first: record.at,
        last: record.at,
        sample: record,
        ...(record.node !== undefined && { node: record.node }),
        ...(template && { template }),
        ...(error && { ids: messageIdsIn(record.body) }),
      };
      this.found.set(id, known);
    }
    known.count += 1;
    if (known.ids) known.ids = known.ids.filter((id) => record.body.includes(id));
    if (error) this.addFailure(known, record);
    else this.units.pass(record);
    if (record.at < this.quietUntil) known.early += 1;
    else countAt(known.late, record.at - this.quietUntil);
    if (record.at < known.first) [known.first, known.sample] = [record.at, record];
    known.last = Math.max(known.last, record.at);
    return known;
  }

  private addFailure(template: LogTemplate, record: LogRecord): void {
    const failed = (template.failed ??= []);
    const units = this.units.fail(record);
    if (failed.length < MOST_FAILED) failed.push(units);
  }

  all(): LogTemplate[] {
    return [...this.found.values()];
  }
}

/** The words of a template; a whole line where the template is a place in the code. */
export const templateText = ({ template, sample }: LogTemplate): string =>
  template?.words.join(' ') ?? sample.body;

/**
 * Not seen in the quiet time: caused by the failure. If only a part was read, only what sources
 * read first: errors and warnings.
 */
export const isNew = (
  { early, first, error, warning, isCut }: LogTemplate,
  quietUntil: number,
): boolean => early === 0 && first > quietUntil && (isCut !== true || error || warning);

/** Usual before, and not seen for a while: suppressed by the failure. */
export const isGone = ({ early, last, isCut }: LogTemplate, reportedAt: number): boolean =>
  isCut !== true && early >= 5 && last < reportedAt - 120_000;

/** -ln 0.05: an event with this expected count is absent by chance in 5 of 100 cases. */
const EXPECTED = 3;

/**
 * Whether a line is so rare that it may have been absent by chance until its first time: a Poisson
 * process of its rate since then.
 */
export const mayBeChance = (
  { early, count, first }: LogTemplate,
  { start, now }: IncidentFrame,
): boolean => early === 0 && count * (first - start) < EXPECTED * (now - first);

/** Failures are noticed within this time. */
const NOTICED_MS = 15 * 60_000;

/**
 * Whether a warning is as rare as chance makes it, and came long before anyone noticed a failure:
 * systems warn occasionally.
 */
export const isBackground = (template: LogTemplate, frame: IncidentFrame): boolean =>
  !template.error &&
  mayBeChance(template, frame) &&
  template.first < (frame.reportedAt ?? frame.now) - NOTICED_MS;

/** Whether each line of an error is about a unit of work that succeeded afterwards. */
export const isHealed = ({ failed, count }: LogTemplate): boolean =>
  failed?.length === count && failed.every((units) => units.some(hasRecovered));
