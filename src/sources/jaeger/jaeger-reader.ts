import { z } from 'zod';
import { askSource } from '../http/source-client.js';
import { SourceError } from '../http/source-error.js';
import type { TraceReader } from '../live/served-traces.js';
import { spansIn } from '../recording/parse-traces.js';

const answer = z.object({
  data: z.array(z.looseObject({ traceID: z.string().max(100) })).max(1_000),
});

/**
 * Reads traces from Jaeger (`/api/traces` of its query service,
 * https://www.jaegertracing.io/docs/latest/architecture/apis/).
 */
export const jaegerReader: TraceReader = {
  async read(server, { service, window, failed, most }, { known, signal }) {
    const query = new URLSearchParams({
      service,
      limit: String(most),
      start: micros(window.from),
      end: micros(window.to),
      ...(failed && { tags: '{"error":"true"}' }),
    });
    const path = `/api/traces?${query.toString()}`;
    const parsed = answer.safeParse(await askSource(server, { path }, signal));
    if (!parsed.success)
      throw new SourceError('failed', 'the answer is not a list of traces of the Jaeger HTTP API');
    const added = parsed.data.data
      .slice(0, most)
      .filter(({ traceID }) => !known.has(traceID) && known.add(traceID));
    const spans = added.flatMap((each) => spansIn({ data: [each] }));
    if (added.length > 0 && spans.length === 0)
      throw new SourceError('failed', 'the answer has no traces of the Jaeger HTTP API');
    return spans;
  },
};

const micros = (ms: number): string => String(Math.floor(ms * 1_000));
