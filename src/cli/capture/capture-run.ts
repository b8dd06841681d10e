import type { Client } from '../../client/index.js';
import { isTerminal, type EventData } from '../../domain/events/event.js';
import type { Json, JsonObject } from '../../lib/json.js';
import { redactSecrets, redactSecretsDeep } from '../../lib/redact-secrets.js';
import { framed } from './capture-sources.js';
import { commandName } from '../command-name.js';
import type { IncidentFrame } from '../../domain/telemetry/records.js';
import type { BundleWriter } from './bundle-writer.js';

/**
 * Writes a run that has ended as an incident bundle: its topology, and the result of each
 * measurement. Diagnosed again, offline, the bundle gives the tools the same results.
 *
 * @param metricsOf captures the metrics of live sources, where they can be reached
 * @throws where the service or a source cannot be asked; then nothing stays of the bundle
 */
export async function captureRun(
  client: Pick<Client, 'show' | 'topology' | 'follow'>,
  runId: string,
  writer: BundleWriter,
  metricsOf: MetricsOf = () => Promise.resolve(undefined),
): Promise<void> {
  try {
    await writeRun(client, runId, writer, metricsOf);
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Captures the metrics of live sources. @param now ms, the time at which the run began */
type MetricsOf = (now: number) => Promise<IncidentFrame | undefined>;

async function writeRun(
  client: Pick<Client, 'show' | 'topology' | 'follow'>,
  runId: string,
  writer: BundleWriter,
  metricsOf: MetricsOf,
): Promise<void> {
  const run = await client.show(runId);
  if (run.topologyId === null) throw new Error(`Run ${runId} has no topology to capture.`);
  const topology = await client.topology(run.topologyId);
  const calls = new Map<string, JsonObject>();
  const results: Json[] = [];
  for await (const { name, data } of client.follow(runId)) {
    if (name === 'llm.tool_call') calls.set(data.tool_call_id, data.args);
    if (name === 'llm.tool_result' && data.node !== undefined)
      results.push(recordingOf(data, calls.get(data.tool_call_id) ?? {}));
    if (isTerminal(name)) break;
  }
  const started = run.startedAt ?? run.createdAt;
  const frame = await metricsOf(Date.parse(started));
  await writer.incident({
    title: `Captured diagnosis of ${topology.name}`,
    message: run.userMessage,
    ...(frame ? framed(frame) : { start: started, now: run.endedAt ?? new Date().toISOString() }),
  });
  await writer.topology(topology as unknown as JsonObject);
  await writer.lines('recordings/probes.ndjson', results);
}

export const replayHint = ({ folder }: BundleWriter): string =>
  `Captured in ${folder}. To diagnose it again, offline: ${commandName('diagnose')} ${folder}`;

/** A line of recordings/*: the result as text, or why the tool could not do its work. */
function recordingOf(
  { tool, status, result }: EventData['llm.tool_result'],
  given: JsonObject,
): JsonObject {
  const args = redactSecretsDeep(given);
  if (status === 'ok')
    return { tool, args, status: 'success', output: JSON.stringify(redactSecretsDeep(result)) };
  const { error } = (result ?? {}) as { error?: Json };
  return { tool, args, status, output: typeof error === 'string' ? redactSecrets(error) : status };
}
