import type { LogRecord } from '../../domain/telemetry/records.js';
import { SourceError } from '../http/source-error.js';
import type { ListedMachineLog } from '../live/sources-file.js';
import type { LinesQuestion } from '../live/served-logs.js';
import { readJournal } from './journal-reader.js';
import { readLogFile } from './log-file-reader.js';

/**
 * Reads the logs of this machine that SOURCES_FILE lists.
 * @throws SourceError `refused` for a unit that it does not list; the signal's reason
 */
export async function readMachineLog(
  listed: ListedMachineLog,
  question: LinesQuestion,
  signal: AbortSignal,
): Promise<Omit<LogRecord, 'node'>[]> {
  if (listed.kind === 'logfile') return readLogFile(listed.path, question, signal);
  const { units, directory } = listed;
  if (!units.includes('*') && !units.includes(question.selector))
    throw new SourceError('refused', `SOURCES_FILE does not list the unit ${question.selector}`);
  return readJournal(directory === undefined ? {} : { directory }, question, signal);
}
