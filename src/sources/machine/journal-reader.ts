import { z } from 'zod';
import type { LogRecord } from '../../domain/telemetry/records.js';
import { escapePattern } from '../../lib/text.js';
import { SourceError } from '../http/source-error.js';
import type { LinesQuestion } from '../live/served-logs.js';
import { readWithin } from '../read-within.js';
import { type CommandOutput, runCommand } from './run-command.js';
import { isFaultText, TELLING } from './telling.js';

const MOST_BYTES = 2 * 2 ** 20;
const MOST_LINE = 4_096;
const TIME_LIMIT_MS = 10_000;
/** Of syslog, by number. */
const SEVERITIES = ['FATAL', 'FATAL', 'FATAL', 'ERROR', 'WARN', 'INFO', 'INFO', 'DEBUG'];

/** A text, or the bytes of a value that is not text. */
const field = z
  .union([
    z.string(),
    z.array(z.int().min(0).max(255)).transform((bytes) => Buffer.from(bytes).toString('utf8')),
  ])
  .nullish();
const entry = z.object({
  __REALTIME_TIMESTAMP: z.string().regex(/^\d{1,17}$/),
  MESSAGE: field,
  PRIORITY: field,
  SYSLOG_IDENTIFIER: field,
  _SYSTEMD_UNIT: field,
  UNIT: field,
  _HOSTNAME: field,
  TRACE_ID: field,
  SPAN_ID: field,
});

/**
 * Where the journal is: of this machine, or in a folder, such as one of `systemd-journal-remote`.
 */
export interface Journal {
  directory?: string;
}

/**
 * Reads the newest lines of a unit with `journalctl`, and of systemd and the kernel about it; `*`:
 * of the machine. Faults are found by priority, from warnings up, and by words: text that services
 * write to their standard error has the priority of an information.
 * @throws SourceError `refused` if this process may not read the journal; the signal's reason
 */
export async function readJournal(
  journal: Journal,
  { lines, most, ...question }: LinesQuestion,
  signal: AbortSignal,
): Promise<Omit<LogRecord, 'node'>[]> {
  const ask = (...more: string[]) => journalctl(journal, { ...question, most }, more, signal);
  if (lines === undefined) return ask();
  const others = ['--priority=5..7', '--case-sensitive=no'];
  if (lines === 'other') return (await ask(...others)).filter(({ body }) => !isFaultText(body));
  const byPriority = await ask('--priority=0..4');
  const byWords = await ask(...others, `--grep=${TELLING}`);
  return [...byPriority, ...byWords].toSorted((a, b) => b.at - a.at).slice(0, most);
}

async function journalctl(
  { directory }: Journal,
  { selector, window, text, most }: Omit<LinesQuestion, 'lines'>,
  more: readonly string[],
  signal: AbortSignal,
): Promise<Omit<LogRecord, 'node'>[]> {
  const command = [
    'journalctl',
    '--output=json',
    '--all',
    '--no-pager',
    '--reverse',
    `--lines=${most}`,
    `--since=@${window.from / 1_000}`,
    `--until=@${Math.ceil(window.to) / 1_000}`,
    ...(directory === undefined ? [] : [`--directory=${directory}`]),
    ...(selector === '*' ? [] : [`--unit=${selector}`]),
    ...(text === undefined ? [] : [`--grep=${escapePattern(text)}`, '--case-sensitive=no']),
    ...more,
  ];
  const { code, stdout, stderr, isCut } = await run(command, signal);
  if (/insufficient permissions|not seeing messages from/.test(stderr))
    throw new SourceError('refused', 'this process may not read the journal');
  // If no line matches, --grep ends with 1.
  if (code !== 0 && !isCut && stderr.trim() !== '')
    throw new SourceError('failed', `journalctl: ${stderr.trim().slice(0, 200)}`);
  if (stdout === '') await expectJournal(directory, signal);
  return stdout
    .split('\n')
    .flatMap((line) => recordIn(line) ?? [])
    .filter(({ at }) => at >= window.from && at <= window.to);
}

function run(command: readonly string[], signal: AbortSignal): Promise<CommandOutput> {
  const given = { folder: '/', env: {}, most: MOST_BYTES };
  const start = (own: AbortSignal) => runCommand(command, { ...given, signal: own });
  return readWithin(TIME_LIMIT_MS, start, signal).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    throw new SourceError('failed', 'there is no journalctl on this machine');
  });
}

/** Without a journal there are no lines either, and journalctl does not report that in its JSON. */
async function expectJournal(directory: string | undefined, signal: AbortSignal): Promise<void> {
  const folder = directory === undefined ? [] : [`--directory=${directory}`];
  const { stderr } = await run(['journalctl', '--header', ...folder], signal);
  if (!stderr.includes('No journal files were')) return;
  const where = directory === undefined ? 'on this machine' : `in ${directory}`;
  throw new SourceError('failed', `there is no journal ${where}`);
}

function recordIn(line: string): Omit<LogRecord, 'node'> | undefined {
  if (!line.startsWith('{')) return undefined;
  const parsed = entry.safeParse(jsonIn(line));
  if (!parsed.success) return undefined;
  const { MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, UNIT, _SYSTEMD_UNIT, _HOSTNAME } = parsed.data;
  const { TRACE_ID: traceId, SPAN_ID: spanId } = parsed.data;
  const labels = { unit: UNIT ?? _SYSTEMD_UNIT, program: SYSLOG_IDENTIFIER, host: _HOSTNAME };
  return {
    at: Number(parsed.data.__REALTIME_TIMESTAMP) / 1_000,
    severity: SEVERITIES[Number(PRIORITY ?? '6')] ?? '',
    body: (MESSAGE ?? '').slice(0, MOST_LINE),
    labels: Object.fromEntries(
      Object.entries(labels).flatMap(([name, value]) =>
        value ? [[name, value.slice(0, 300)]] : [],
      ),
    ),
    ...(traceId && { traceId: traceId.slice(0, 64) }),
    ...(spanId && { spanId: spanId.slice(0, 64) }),
  };
}

/** Undefined if it is none, such as the line at which the output was cut. */
function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
