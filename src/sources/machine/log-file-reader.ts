import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { LogRecord } from '../../domain/telemetry/records.js';
import { SourceError } from '../http/source-error.js';
import type { LinesQuestion } from '../live/served-logs.js';
import { looseLogIn, timeIn } from '../recording/parse-loose-log.js';
import { isFaultText } from './telling.js';

/** Number of bytes at the end of a file that are read. */
const MOST_BYTES = 2 * 2 ** 20;
const MOST_LINE = 4_096;

/**
 * `2026/11/23 08:00:00 [error] 31#31: *7 connect() failed …`, in the time zone of the machine:
 * https://nginx.org/en/docs/ngx_core_module.html#error_log
 */
const NGINX = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) \[([a-z]{1,10})\] \d+#\d+: (.*)$/;
const DATED =
  /^\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)\]?\s+(.*)$/;
const LEVEL = /\b(FATAL|CRITICAL|ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE)\b/i;
/** Number of code units at the beginning of a line that contain its level. */
const HEAD = 60;

/**
 * The newest lines of a file: error logs of nginx, JSON, and lines that begin with a date and a
 * time. A line with another beginning belongs to the one before it.
 * @throws SourceError `refused` if this process may not read it; the signal's reason
 */
export async function readLogFile(
  path: string,
  { window, text, lines, most }: LinesQuestion,
  signal: AbortSignal,
): Promise<Omit<LogRecord, 'node'>[]> {
  const wanted = text?.toLowerCase();
  return recordsIn(await endOf(path, signal))
    .filter(({ at }) => at >= window.from && at <= window.to)
    .filter(({ body }) => wanted === undefined || body.toLowerCase().includes(wanted))
    .filter((record) => lines === undefined || (lines === 'telling') === looksTelling(record))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, most);
}

const looksTelling = ({ severity, body }: Pick<LogRecord, 'severity' | 'body'>): boolean =>
  /^(?:emerg|alert|crit|fatal|error|warn)/i.test(severity) || isFaultText(body);

async function endOf(path: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  // Does not block, in case it is a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(refuse);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new SourceError('failed', 'the path is no file');
    const length = Math.min(stat.size, MOST_BYTES);
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, stat.size - length);
    const end = bytes.toString('utf8', 0, bytesRead);
    // The first line is a part of one.
    return stat.size > length ? end.slice(end.indexOf('\n') + 1) : end;
  } finally {
    await file.close();
  }
}

function refuse(error: unknown): never {
  const { code } = error as { code?: unknown };
  if (code === 'EACCES' || code === 'EPERM')
    throw new SourceError('refused', 'this process may not read the file');
  throw new SourceError('failed', `the file cannot be read (${String(code)})`);
}

type Line = Omit<LogRecord, 'node'>;

function recordsIn(text: string): Line[] {
  const records: Line[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const record = recordIn(line.slice(0, MOST_LINE));
    const last = records.at(-1);
    if (record) records.push(record);
    else if (last) last.body = `${last.body}\n${line}`.slice(0, MOST_LINE);
  }
  return records;
}

function recordIn(line: string): Line | undefined {
  if (line.startsWith('{')) return jsonRecord(line);
  const [, year, month, day, clock, level = '', said = ''] = NGINX.exec(line) ?? [];
  if (year !== undefined)
    return {
      at: new Date(`${year}-${month}-${day}T${clock}`).getTime(),
      severity: level,
      body: said,
      labels: {},
    };
  const [, time, body = ''] = DATED.exec(line) ?? [];
  const at = time === undefined ? undefined : timeIn(time);
  if (at === undefined) return undefined;
  return { at, severity: LEVEL.exec(body.slice(0, HEAD))?.[1] ?? '', body, labels: {} };
}

function jsonRecord(line: string): Line | undefined {
  try {
    return looseLogIn(JSON.parse(line), MOST_LINE);
  } catch {
    return undefined;
  }
}
