import type { Report } from '../../../domain/diagnosis/finding.js';
import { withoutAddresses } from '../../../domain/diagnosis/steps/step-command.js';
import { endpointMask } from '../../../domain/prompt/endpoint-mask.js';
import type { TopologyNode } from '../../../domain/topology/topology.js';
import type { Json, JsonObject } from '../../../lib/json.js';
import { mapTexts } from '../../../lib/redact-secrets.js';

/**
 * A result about runs for a model of a provider: without the addresses of the nodes of each run.
 * Addresses of the chat's own topology are masked in every request; a run may belong to another
 * topology.
 */
export async function hideAddresses(
  result: JsonObject,
  nodesOf: (runId: string) => Promise<readonly TopologyNode[]>,
): Promise<JsonObject> {
  const { run_id: runId, runs, report } = result;
  if (Array.isArray(runs))
    return {
      ...result,
      runs: await Promise.all(
        runs.map(async (row): Promise<Json> => hideAddresses(row as JsonObject, nodesOf)),
      ),
    };
  if (typeof runId !== 'string') return result;
  const nodes = await nodesOf(runId);
  const steps = (report as unknown as Report | null | undefined)?.next_steps;
  const shown = steps
    ? { ...result, report: { ...(report as JsonObject), next_steps: hidden(steps, nodes) } }
    : result;
  return mapTexts(shown, endpointMask(nodes));
}

const hidden = (steps: NonNullable<Report['next_steps']>, nodes: readonly TopologyNode[]): Json =>
  withoutAddresses(steps, nodes) as unknown as Json;
