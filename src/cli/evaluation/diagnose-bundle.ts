import { join } from 'node:path';
import type { Client } from '../../client/index.js';
import { isTerminal } from '../../domain/events/event.js';
import { putTopology } from '../put-topology.js';
import { readBundle } from '../read-bundle.js';
import { toReportLine, type ReportLine } from './report-line.js';

const DEFAULT_MESSAGE = 'Analyze system state and health status.';

/** Diagnoses one of the bundles that the service has mounted, like any topology. */
export async function diagnoseBundle(
  client: Client,
  folder: string,
  name: string,
): Promise<ReportLine> {
  const started = performance.now();
  const { content, message = DEFAULT_MESSAGE } = await readBundle(join(folder, name));
  const { id: topologyId } = await putTopology(client, content, true);
  const { runId, events } = await client.trigger({ topologyId, userMessage: message });
  let tokens = 0;
  let cost = 0;
  for await (const { name: event, data } of events) {
    if (event === 'llm.usage') {
      tokens += data.input_tokens + data.output_tokens;
      cost += data.cost ?? 0;
    }
    if (isTerminal(event)) break;
  }
  const run = await client.show(runId);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  return toReportLine(name, run, { seconds, tokens, cost });
}
