import fc from 'fast-check';
import {
  METRICS_BOUNDS,
  parseMetrics,
} from '../../src/tools/prometheus-metrics/prometheus-text.js';
import type { FuzzTarget } from './target.js';

const MAX_BYTES = 2 * 1024 * 1024;
const piece = fc.oneof(
  fc.constantFrom(
    ...' \t,{}="\\#\n',
    'a',
    'a{',
    'b="',
    '"} 1\n',
    '# TYPE a counter\n',
    '+Inf',
    'NaN',
  ),
  fc.string({ maxLength: 20 }),
);
const line = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
const page = fc.oneof(
  { weight: 5, arbitrary: fc.array(line, { maxLength: 50 }).map((lines) => lines.join('\n')) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(line, piece, fc.nat(40_000))
      .map(([start, text, n]) => (start + text.repeat(n)).slice(0, MAX_BYTES)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(line, fc.nat(20_000))
      .map(([text, n]) => `${text}\n`.repeat(n).slice(0, MAX_BYTES)),
  },
);

/** The reader of metrics pages. */
export const metricsTarget: FuzzTarget<string> = {
  name: 'metrics pages',
  input: page,
  open: () =>
    Promise.resolve({
      run: async (text) => {
        const { samples } = await parseMetrics(text);
        if (samples.size > METRICS_BOUNDS.kept) throw new Error('kept more than its bound');
        await new Promise((resolve) => setImmediate(resolve));
      },
      close: () => Promise.resolve(),
    }),
};
