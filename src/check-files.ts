import type { Setup } from './check-setup.js';
import { readAlertsFile, secretsOfAlerts } from './alerts/alerts-file.js';
import type { Config } from './config/config.js';
import { missingSecrets } from './config/secrets.js';
import { Archive } from './event-log/archive.js';
import { readReportsFile, secretsOfReports } from './reports/reports-file.js';
import { codeOf, readTopologyFiles, topologyFileNames } from './topologies/topology-files.js';

/** Whether the file or folder of a variable can be used. */
export interface FileState {
  id: 'TOPOLOGIES_DIR' | 'ALERTS_FILE' | 'REPORTS_FILE' | 'ARCHIVE_DIR';
  kind: 'topologies' | 'alerts' | 'reports' | 'archive';
  /** The path. */
  endpoint: string;
  state: 'ok' | 'failed';
  /** The faults; empty if there are none. */
  detail: string;
}

const stateOf = (
  { id, kind, endpoint }: Pick<FileState, 'id' | 'kind' | 'endpoint'>,
  faults: readonly string[],
): FileState => ({
  id,
  kind,
  endpoint,
  state: faults.length === 0 ? 'ok' : 'failed',
  detail: faults.join('; '),
});

/** Checks the files whose faults do not prevent the start of the service. */
export async function checkFiles({
  config,
  check,
}: Pick<Setup, 'config' | 'check'>): Promise<FileState[]> {
  const endpoint = config.topologiesDir;
  const topologies = stateOf(
    { id: 'TOPOLOGIES_DIR', kind: 'topologies', endpoint },
    await topologyFaults(endpoint, check),
  );
  return [topologies, ...(await checkExchanges(config))];
}

/** Checks the secrets of alerts, and the destinations of reports and archived logs. */
export async function checkExchanges(
  config: Pick<Config, 'role' | 'alertsFile' | 'reportsFile' | 'archiveDir' | 'secretOf'>,
): Promise<FileState[]> {
  const { role, alertsFile, reportsFile, archiveDir, secretOf } = config;
  const states: FileState[] = [];
  if (alertsFile !== undefined && role !== 'worker') {
    const faults = await missingSecrets(secretsOfAlerts(readAlertsFile(alertsFile)), secretOf);
    states.push(stateOf({ id: 'ALERTS_FILE', kind: 'alerts', endpoint: alertsFile }, faults));
  }
  // A process that only serves the API sends no reports.
  if (reportsFile !== undefined && role !== 'api') {
    const faults = await missingSecrets(secretsOfReports(readReportsFile(reportsFile)), secretOf);
    states.push(stateOf({ id: 'REPORTS_FILE', kind: 'reports', endpoint: reportsFile }, faults));
  }
  if (archiveDir !== undefined) {
    const fault = await new Archive(archiveDir).fault();
    states.push(
      stateOf(
        { id: 'ARCHIVE_DIR', kind: 'archive', endpoint: archiveDir },
        fault === undefined ? [] : [fault],
      ),
    );
  }
  return states;
}

async function topologyFaults(directory: string, check: Setup['check']): Promise<string[]> {
  const names = await topologyFileNames(directory).catch((error: unknown) => codeOf(error));
  if (typeof names === 'string') return [`the folder cannot be read: ${names}`];
  const faults: string[] = [];
  for await (const file of readTopologyFiles(directory, names, check))
    if ('faults' in file)
      for (const { path, message } of file.faults)
        faults.push(`${file.name}: ${path === '' ? '' : `${path}: `}${message}`);
  return faults;
}
