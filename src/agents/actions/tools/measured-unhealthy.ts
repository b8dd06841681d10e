import { currentMeasurements } from '../../../domain/diagnosis/current-measurements.js';
import { isFailure } from '../../../domain/diagnosis/finding.js';
import type { LogPort } from '../../../event-log/log-port.js';
import type { AgentSession } from '../../runtime/agent-session.js';

/**
 * Whether a current measurement of this run shows that a node is unhealthy. Claims of agents and
 * findings about the whole system do not count.
 */
export async function isMeasuredUnhealthy(
  { runId, spec: { topology }, read, writer }: AgentSession,
  log: LogPort,
  id: string,
): Promise<boolean> {
  await writer.flush();
  const { measurements } = await log.measured(runId, topology, { known: read.measured });
  const ofNode = measurements.filter(({ node, measures }) => node === id && measures !== 'system');
  return currentMeasurements(ofNode).measurements.some(({ issues }) => issues.some(isFailure));
}
