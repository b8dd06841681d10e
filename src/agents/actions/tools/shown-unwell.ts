import { currentMeasurements } from '../../../domain/diagnosis/current-measurements.js';
import { isTrouble } from '../../../domain/diagnosis/finding.js';
import type { LogPort } from '../../../event-log/log-port.js';
import type { AgentSession } from '../../runtime/agent-session.js';

/**
 * Whether a measurement of this run that still counts shows a node unwell. What agents claim shows nothing, and neither does what
 * a tool finds in the whole system.
 */
export async function isShownUnwell(
  { runId, spec: { topology }, read }: AgentSession,
  log: LogPort,
  id: string,
): Promise<boolean> {
  const { measurements } = await log.measured(runId, topology, { known: read.measured });
  const ofNode = measurements.filter(({ node, measures }) => node === id && measures !== 'system');
  return currentMeasurements(ofNode).measurements.some(({ issues }) => issues.some(isTrouble));
}
