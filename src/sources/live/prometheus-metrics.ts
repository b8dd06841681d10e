import { z } from 'zod';
import type { Series, TimeWindow } from '../../domain/telemetry/records.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { textsObject } from '../../lib/first-fault.js';
import { escapePattern } from '../../lib/text.js';
import { askSource } from '../http/source-client.js';
import type { SourceServer } from '../http/source-server.js';
import { withConnection } from '../http/source-connection.js';
import { errorOfSource, joinedError, SourceError } from '../http/source-error.js';
import { readTargets, type NodePart, type SourceTarget } from '../http/source-targets.js';
import {
  MetricSource,
  type EvaluatedSamples,
  type Reason,
  type MetricSample,
  type SeriesQuery,
  type SourceAnswer,
} from '../ports.js';
import { alertMeanings, ruleErrors, scrapeErrors } from './prometheus-reasons.js';
import { seriesIn } from '../recording/parse-metrics.js';

/** Points of a series in one answer; a server gives at most 11,000. */
const MOST_POINTS = 120;
/** A server that scrapes less often has fewer points than this step. */
const LEAST_STEP_SECONDS = 15;
/** Names of counters by the conventions of OpenMetrics; only their growth is meaningful. */
const COUNTER = /_(?:total|count|sum)$/;

/** An element of a result; native histograms, which have no values of this form, are left out. */
const labelled = z.looseObject({ metric: textsObject });
const answer = z.object({
  status: z.literal('success'),
  data: z.object({ resultType: z.literal('matrix'), result: z.array(labelled).max(20_000) }),
});

/** The selectors that nodes have for a source. */
export const selectorsOf = (
  nodes: readonly TopologyNode[],
  source: string,
): ReadonlyMap<string, string> =>
  new Map(
    nodes.flatMap(({ id, in: own }) => (own?.[source] === undefined ? [] : [[id, own[source]]])),
  );

/**
 * Metrics of Prometheus by `query_range` of its HTTP API, a node at a time over one connection.
 * Buckets of histograms are left out. Each point is the last sample since the one before, so that a
 * series that has ended shows no more points; counters become their growth per second. A node
 * without series yields none: no data, which is no sign of health.
 */
export class PrometheusMetrics extends MetricSource {
  /**
   * @param windows that may be queried: the time of the diagnosis, and the one to compare it with
   */
  constructor(
    /** Their selectors are matchers of labels. */
    private readonly targets: readonly SourceTarget[],
    private readonly windows: readonly TimeWindow[],
  ) {
    super();
  }

  series(query: SeriesQuery, signal: AbortSignal): SourceAnswer<Series> {
    const records = readTargets(this.targets, { node: query.node, signal }, (part) =>
      this.readNode(part, query, signal),
    );
    return { kind: 'records', coverage: 'complete', records };
  }

  override async evaluate(
    { node, expressions }: { node: string; expressions: readonly string[] },
    signal: AbortSignal,
  ): Promise<EvaluatedSamples | undefined> {
    const targets = this.targets.filter(({ selectors }) => selectors.has(node));
    if (targets.length === 0) return undefined;
    const samples = expressions.map((): MetricSample[] => []);
    const unread: SourceError[] = [];
    for (const target of targets) {
      const queries = expressions.map((each) =>
        // A function, since a selector may hold `$&`.
        each.replaceAll('$S', () => target.selectors.get(node) ?? ''),
      );
      try {
        const own = await answersTo(queries, target, signal);
        own.forEach((some, index) => samples[index]?.push(...some));
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        unread.push(errorOfSource(target.id, error));
      }
    }
    const [first, ...others] = unread;
    if (first === undefined) return { samples };
    const error = others.reduce(joinedError, first);
    if (unread.length === targets.length) throw error;
    return { samples, unread: error };
  }

  override async reasons(
    { node, of }: { node: string; of: Reason },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const read = { scrapes: scrapeErrors, alerts: alertMeanings, rules: ruleErrors }[of];
    const known = new Map<string, string>();
    for (const { server, selectors } of this.targets) {
      if (!selectors.has(node) || server instanceof SourceError) continue;
      const found = await read(server, signal).catch((error: unknown) => {
        if (error instanceof SourceError) return [];
        throw error;
      });
      for (const [key, reason] of found) known.set(key, reason);
    }
    return known;
  }

  private async *readNode(
    { server, node, selector }: NodePart,
    query: SeriesQuery,
    signal: AbortSignal,
  ): AsyncGenerator<Series> {
    for (const window of this.windows) {
      const from = Math.max(window.from, query.window.from);
      const to = Math.min(window.to, query.window.to);
      const question = { node, selector, names: query.names, from, to };
      if (from <= to) yield* await ask(server, question, signal);
    }
  }
}

/**
 * The result of one server for each query, over one connection.
 * @throws SourceError; the signal's reason
 */
async function answersTo(
  queries: readonly string[],
  { server: asked }: SourceTarget,
  signal: AbortSignal,
): Promise<MetricSample[][]> {
  if (asked instanceof SourceError) throw asked;
  return withConnection(asked, async (server) => {
    const answers: MetricSample[][] = [];
    for (const query of queries) {
      const samples = instantSamples(server, query, signal);
      // Series that cannot be joined, such as two for one label (422), yield nothing.
      answers.push(await samples.catch((error: unknown) => noSamplesOf(error)));
    }
    return answers;
  });
}

/** @throws any error but that of an expression that cannot be computed */
function noSamplesOf(error: unknown): MetricSample[] {
  if (error instanceof SourceError && error.status === 422) return [];
  throw error;
}

const MOST_SAMPLES = 100;

const instant = z.object({
  status: z.literal('success'),
  data: z.union([
    z.object({ resultType: z.literal('vector'), result: z.array(labelled).max(20_000) }),
    z.object({ resultType: z.enum(['scalar', 'string', 'matrix']) }),
  ]),
});
const sample = z.object({
  metric: textsObject,
  value: z.tuple([z.number(), z.string()]),
});

/**
 * The current samples of an expression, at most 100.
 * @throws SourceError; the signal's reason
 */
export const instantSamples = async (
  server: SourceServer,
  query: string,
  signal: AbortSignal,
): Promise<MetricSample[]> =>
  samplesIn(await askSource(server, { path: '/api/v1/query', form: { query } }, signal));

/** The samples of a vector, at most 100; a scalar belongs to no node. */
function samplesIn(value: unknown): MetricSample[] {
  const parsed = instant.safeParse(value);
  if (!parsed.success)
    throw new SourceError('failed', 'the answer is not a result of the Prometheus HTTP API');
  const { data } = parsed.data;
  if (data.resultType !== 'vector') return [];
  return data.result.slice(0, MOST_SAMPLES).flatMap((each) => {
    const one = sample.safeParse(each);
    return one.success ? [{ labels: one.data.metric, value: Number(one.data.value[1]) }] : [];
  });
}

/** The query for one node, in one window. */
interface Question extends TimeWindow {
  node: string;
  selector: string;
  names: readonly string[] | undefined;
}

async function ask(
  server: SourceServer,
  { node, selector, names, from, to }: Question,
  signal: AbortSignal,
): Promise<Series[]> {
  const step = Math.max(LEAST_STEP_SECONDS, Math.ceil((to - from) / 1_000 / MOST_POINTS));
  // At multiples of the step, so that a later query, or a capture, has its points at the same
  // times.
  const start = Math.min(Math.ceil(from / 1_000 / step) * step, to / 1_000);
  const wanted =
    names === undefined
      ? '__name__!~".+_bucket"'
      : `__name__=~${JSON.stringify(names.map(escapePattern).join('|'))}`;
  const value = await askSource(
    server,
    {
      path: '/api/v1/query_range',
      form: {
        // Less than a step, since a range includes both its ends in Prometheus 2.
        query: `last_over_time({${selector},${wanted}}[${step * 1_000 - 1}ms])`,
        start: String(start),
        end: String(to / 1_000),
        step: String(step),
      },
    },
    signal,
  );
  const parsed = answer.safeParse(value);
  if (!parsed.success)
    throw new SourceError('failed', 'the answer is not a matrix of the Prometheus HTTP API');
  return parsed.data.data.result
    .flatMap((line) => seriesIn(line))
    .map((series) => ({ ...(COUNTER.test(series.name) ? perSecond(series) : series), node }));
}

/** The growth of a counter; one that fell was reset, and grew from zero. */
function perSecond({ name, labels, times, values }: Omit<Series, 'node'>): Omit<Series, 'node'> {
  const growth = values.slice(1).map((value, i) => {
    const before = values[i] ?? NaN;
    const seconds = ((times[i + 1] ?? NaN) - (times[i] ?? NaN)) / 1_000;
    return (value >= before ? value - before : value) / seconds;
  });
  return {
    name,
    labels: { ...labels, growth: 'per_second' },
    times: times.slice(1),
    values: growth,
  };
}
