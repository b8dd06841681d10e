import { z } from 'zod';
import type { TimeWindow } from '../../domain/telemetry/records.js';
import { askSource } from '../http/source-client.js';
import { SourceError } from '../http/source-error.js';
import type { SourceServer } from '../http/source-server.js';
import type { TraceReader } from '../live/served-traces.js';
import { type LabelledSpan, spansIn } from '../recording/parse-traces.js';

const found = z
  .object({
    traces: z
      .array(z.object({ traceID: z.string().regex(/^[0-9a-fA-F]{1,32}$/) }))
      .max(1_000)
      .optional(),
    metrics: z.record(z.string(), z.unknown()).optional(),
  })
  // An answer without traces has the costs of the search; without both it is no search result.
  .refine(({ traces, metrics }) => traces !== undefined || metrics !== undefined);
const trace = z.object({ batches: z.array(z.unknown()).max(10_000) });

/**
 * Reads traces from Tempo (`/api/search` with TraceQL, then `/api/traces/ID`,
 * https://grafana.com/docs/tempo/latest/api_docs/).
 */
export const tempoReader: TraceReader = {
  async read(server, { service, window, failed, most }, { known, signal }) {
    const matchers = `resource.service.name=${JSON.stringify(service)}${failed ? ' && status=error' : ''}`;
    const query = new URLSearchParams({
      q: `{${matchers}}`,
      limit: String(most),
      spss: '1',
      ...secondsOf(window),
    });
    const path = `/api/search?${query.toString()}`;
    const parsed = found.safeParse(await askSource(server, { path }, signal));
    if (!parsed.success)
      throw new SourceError('failed', 'the answer is no search result of the Tempo HTTP API');
    const spans: LabelledSpan[] = [];
    for (const { traceID } of parsed.data.traces?.slice(0, most) ?? []) {
      if (known.has(traceID)) continue;
      known.add(traceID);
      spans.push(...(await readTrace(server, { traceID, window }, signal)));
    }
    return spans;
  },
};

async function readTrace(
  server: SourceServer,
  { traceID, window }: { traceID: string; window: TimeWindow },
  signal: AbortSignal,
): Promise<LabelledSpan[]> {
  const query = new URLSearchParams(secondsOf(window));
  const path = `/api/traces/${traceID}?${query.toString()}`;
  const value = await askSource(server, { path }, signal).catch((error: unknown) => {
    const { status, options } = error instanceof SourceError ? error : {};
    // A trace that was deleted meanwhile, or that is too large, is omitted.
    if (status === 404 || options?.isTooLarge) return { batches: [] };
    throw error;
  });
  const parsed = trace.safeParse(value);
  if (parsed.success) return spansIn({ resourceSpans: parsed.data.batches });
  throw new SourceError('failed', 'the answer is no trace of the Tempo HTTP API');
}

/** Whole seconds; the end is rounded up. */
const secondsOf = ({ from, to }: TimeWindow) => ({
  start: String(Math.floor(from / 1_000)),
  end: String(Math.ceil((to + 1) / 1_000)),
});
