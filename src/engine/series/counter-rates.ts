import type { Series } from '../../domain/telemetry/records.js';

/**
 * Names of cumulative counters: OpenMetrics 1.0, section 4; the suffixes of summaries and
 * histograms.
 */
const COUNTER = /[-_.](?:total|count|sum)$/i;
/** Only counters have this suffix; `count` may be the number of existing things. */
const CERTAIN = /[-_.]total$/i;
const LEAST_POINTS = 8;
/** A counter never falls, except to start again near zero. */
const RESET = 0.5;
const MOST_RESETS = 0.1;
/**
 * A process that is restarted repeatedly counts equally far each time, so that a fall may be small;
 * a gauge with the name of a counter falls as often as it rises.
 */
const MOST_FALLS = 1 / 3;

/**
 * Counters as rates per second: a counter grows forever, so its value has no meaning. A fall is a
 * restart of the process, which begins at zero (as in `rate` of Prometheus). Sums and counts of one
 * histogram become its mean. A series with the name of a counter that moves up and down is a gauge,
 * and stays.
 */
export function withoutCounters(series: readonly Series[]): Series[] {
  const rates = series.map((each) => (isCounter(each) ? rateOf(each) : each));
  const sums = new Map(
    rates.flatMap((each) =>
      /[-_.]sum$/.test(each.name) ? [[keyOf(each, /[-_.]sum$/), each]] : [],
    ),
  );
  const means = rates.flatMap((each) => {
    const sum = /[-_.]count$/.test(each.name) ? sums.get(keyOf(each, /[-_.]count$/)) : undefined;
    return sum === undefined ? [] : [meanOf(sum, each)];
  });
  // The content of the buckets of a histogram is in its mean.
  return [...rates.filter(({ name }) => !/[-_.](sum|bucket)$/.test(name)), ...means];
}

const keyOf = ({ name, labels }: Series, ending: RegExp): string =>
  JSON.stringify([name.replace(ending, ''), Object.entries(labels).toSorted()]);

/** Quantities that may grow for long without being a counter: held, waiting, or ages. */
const GAUGE =
  /bytes|mem|heap|rss|lag|offset|(^|[_.])age([_.]|$)|size|used|usage|free|avail|percent|ratio|depth|backlog|queue|messages_|connections|connected|sessions|threads|goroutines|fds|open_|files|uptime|timestamp|expiry|temperature/i;
/**
 * Events are counted, even if the name contains that of a gauge: `phpfpm_accepted_connections`,
 * `nginx_connections_handled`.
 */
const EVENTS =
  /(accepted|handled|opened|closed|created|aborted|refused|rejected|received)_(connections|sessions|threads)|(connections|sessions|threads)_(accepted|handled|opened|closed|created|aborted|refused|rejected|received)/i;
/** A counter grows from the beginning of a recording on, nearly always. */
const FIRST_SHARE = 0.3;
const FIRST_GROWTH = 0.6;

/**
 * Exporters of databases, proxies and kernels name counters as the program does, without a suffix:
 * `mysql_global_status_queries`.
 */
function growsFromTheStart({ name, values }: Series): boolean {
  const first = values.slice(0, Math.max(LEAST_POINTS, Math.ceil(values.length * FIRST_SHARE)));
  const grown = first.slice(1).filter((value, i) => value > (first[i] ?? NaN)).length;
  return (!GAUGE.test(name) || EVENTS.test(name)) && grown >= FIRST_GROWTH * (first.length - 1);
}

function isCounter(series: Series): boolean {
  const { name, values } = series;
  if (values.length < LEAST_POINTS) return false;
  if (!COUNTER.test(name) && !growsFromTheStart(series)) return false;
  const moves = values.slice(1).map((now, i) => ({ now, before: values[i] ?? NaN }));
  const rises = moves.filter(({ now, before }) => now > before).length;
  const falls = moves.filter(({ now, before }) => now < before);
  if (CERTAIN.test(name)) return rises > 0 && falls.length <= MOST_FALLS * rises;
  return (
    rises > 0 &&
    falls.length <= MOST_RESETS * values.length &&
    falls.every(({ now, before }) => now <= RESET * before)
  );
}

function rateOf(series: Series): Series {
  const { times, values } = series;
  const rates = values.slice(1).map((value, i) => {
    const [before = NaN, seconds = NaN] = [
      values[i],
      ((times[i + 1] ?? NaN) - (times[i] ?? NaN)) / 1_000,
    ];
    return (value >= before ? value - before : value) / seconds;
  });
  return { ...series, times: times.slice(1), values: rates, isRate: true };
}

/** The mean of the observations in each interval; no value if there were none. */
function meanOf(sum: Series, count: Series): Series {
  const counts = new Map(count.times.map((time, i) => [time, count.values[i] ?? NaN]));
  const values = sum.times.map((time, i) => (sum.values[i] ?? NaN) / (counts.get(time) || NaN));
  return { ...sum, name: sum.name.replace(/[-_.]sum$/, ''), values, isRate: false };
}
