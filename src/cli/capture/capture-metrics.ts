import type { Config } from '../../config/config.js';
import { ConsiliumError } from '../../domain/errors.js';
import type { IncidentFrame } from '../../domain/engine/records.js';
import { parseTopology } from '../../domain/topology/parse-topology.js';
import { redactSecrets } from '../../lib/redact-secrets.js';
import type { Json } from '../../lib/json.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { readSourcesFile } from '../../sources/live/sources-file.js';
import { EgressPolicy } from '../../tools/egress/egress-policy.js';
import type { BundleWriter } from './bundle-writer.js';

/** Applies to every node: a capture needs no tool of its own. */
const ANY_TOOL = [{ name: 'capture', appliesTo: () => true }];

export interface CaptureWindow {
  /** ms; the same hours of the day before are captured as the baseline. */
  start: number;
  now: number;
}

/**
 * Reads the metrics of a topology's live sources in a window, and of the same hours a day before, into a bundle. Each series is
 * labelled with its node, since a recording has no selectors.
 *
 * @param topology as a file or the service has it, not checked
 * @returns how many series were written; undefined where the topology names no live source
 * @throws ConsiliumError VALIDATION_FAILED; SourceError
 */
export async function captureMetrics(
  topology: unknown,
  { start, now }: CaptureWindow,
  { writer, config, signal }: { writer: BundleWriter; config: Config; signal: AbortSignal },
): Promise<{ frame: IncidentFrame; count: number } | undefined> {
  const { globalSupervisor: _, teams: __, ...own } = (topology ?? {}) as Record<string, unknown>;
  const parsed = parseTopology(own, ANY_TOOL);
  if ('faults' in parsed)
    throw new ConsiliumError('VALIDATION_FAILED', 'The topology has faults.', {
      faults: parsed.faults,
    });
  if (!(parsed.topology.sources ?? []).some(({ kind }) => kind === 'prometheus')) return undefined;
  const { egressAllow, egressDeny, sourcesFile, secretOf } = config;
  const egress = EgressPolicy.of(egressAllow, egressDeny, []);
  const listed = await readSourcesFile(sourcesFile);
  const { metrics, frame } = liveSources(parsed.topology, listed, { egress, secretOf, start, now });
  const answer = metrics.series({ window: { from: 0, to: now } }, signal);
  const lines: Json[] = [];
  if (answer.kind === 'records')
    for await (const { name, labels, node = '', times, values } of answer.records)
      lines.push({
        metric: { ...redacted(labels), __name__: name, 'service.name': node },
        values: times.map((at, i) => [at / 1_000, String(values[i])]),
      });
  await writer.lines('metrics/prometheus.ndjson', lines);
  return { frame, count: lines.length };
}

const redacted = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, redactSecrets(value)]));

/** The times of a frame as incident.yaml has them. */
export const framed = ({ start, now, baseline }: IncidentFrame) => ({
  ...{ start: iso(start), now: iso(now) },
  ...(baseline && { baseline: { from: iso(baseline.from), to: iso(baseline.to) } }),
});

const iso = (at: number): string => new Date(at).toISOString();
