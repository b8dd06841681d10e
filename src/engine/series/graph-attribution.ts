import { interquartileRange, mean, median } from '../stats.js';

/** A metric of one node at the ends of its intervals, and its values in normal time. */
export interface NodeMetric {
  times: readonly number[];
  values: readonly number[];
  baseline: readonly number[];
}

export interface GraphNode {
  id: string;
  dependsOn: readonly string[];
}

/** `latency` is in any unit, higher is worse; `availability` is a percentage, lower is worse. */
export type EndMetric = 'latency' | 'availability';

/** The share of a node in the failure of the target. */
export interface Attribution {
  node: string;
  score: number;
  /**
   * Extra seconds or failures of the node itself and with its callees, as a share of the target's.
   */
  own: number;
  amount: number;
  /** The distance of the node from its usual values, in interquartile ranges. */
  deviations: number;
  usual: number;
  now: number;
}

const LEAST_BASELINE = 10;
/** Intervals count as bad if the target is at least half as bad as in its worst. */
const BAD = 0.5;
/**
 * Callees that are this far off, with this share of the target's failure, take their part of the
 * blame.
 */
const UNHEALTHY_DEVIATIONS = 2;
const UNHEALTHY_SHARE = 0.08;
const UNREACHED = 0.15;
/** The target waits for others, and is a suspect itself only for its own part. */
const LEAST_OWN = 1 / 3;
/** A service is ranked before the host that represents it. */
const BEHIND = 1.01;

interface Amount {
  node: string;
  deviations: number;
  amount: number;
  usual: number;
  now: number;
}

/**
 * Which node accounts for a bad end-to-end metric at the target, over a call graph. Amounts are
 * absolute: extra seconds (deviation × requests), or extra failures. A node that deviates far from
 * its usual values, but only by a millisecond, explains nothing. The amount of a node is the part
 * that its unhealthy callees do not account for. Deviations before the bad intervals do not belong
 * to this incident. (The traversal that PetShop publishes, Hardt et al., CLeaR 2024, follows
 * z-scores instead.)
 */
export function attributeOverGraph(
  nodes: readonly GraphNode[],
  target: string,
  metric: EndMetric,
  read: {
    metric: (node: string) => NodeMetric | undefined;
    requests: (node: string) => NodeMetric | undefined;
  },
): Attribution[] {
  const seen = read.metric(target);
  if (seen === undefined || seen.values.length === 0) return [];
  const calls = callGraph(nodes);
  const bad = badTimes(seen, metric);
  const amounts = new Map<string, Amount>();
  for (const { id } of nodes) {
    const series = read.metric(id);
    const amount = series && amountOf(series, read.requests(id), metric, bad);
    if (amount) amounts.set(id, { node: id, ...amount });
  }
  const total = Math.max(amounts.get(target)?.amount ?? 0, 1e-9);
  const reached = reachableFrom(calls, target);
  const found = [...amounts.values()]
    .map((each): Attribution => {
      const { node, amount, deviations, usual, now } = each;
      const callees = [...(calls.get(node) ?? [])].flatMap((id) => amounts.get(id) ?? []);
      const below = callees
        .filter(
          (callee) =>
            callee.deviations > UNHEALTHY_DEVIATIONS && callee.amount > UNHEALTHY_SHARE * total,
        )
        .reduce((sum, callee) => sum + Math.min(callee.amount, amount), 0);
      const own = Math.max(0, amount - below) / total;
      const certainty = 1 - Math.exp(-Math.max(0, deviations) / 3);
      const share = amount / total;
      const score =
        (Math.min(own, 1.5) + 0.02 * Math.min(1, share)) *
        certainty *
        (reached.has(node) ? 1 : UNREACHED);
      return { node, score, own, amount: share, deviations, usual, now };
    })
    .filter(({ node, own }) => node !== target || own >= LEAST_OWN);
  const all = [...found, ...behindHosts(found, calls)];
  return joinViews(all).sort((a, b) => b.score - a.score);
}

/**
 * A host does nothing itself: if the service behind it was not measured, a failure that begins at
 * the host begins at the service.
 */
function behindHosts(
  found: readonly Attribution[],
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): Attribution[] {
  const measured = new Set(found.map(({ node }) => node));
  return found
    .filter(({ node }) => HOST.test(node))
    .flatMap((host) => {
      const unmeasured = [...(calls.get(host.node) ?? [])].filter((id) => !measured.has(id));
      return unmeasured.length === 1
        ? unmeasured.map((node) => ({ ...host, node, score: BEHIND * host.score }))
        : [];
    });
}

function badTimes({ times, values, baseline }: NodeMetric, metric: EndMetric): Set<number> {
  const sign = metric === 'availability' ? -1 : 1;
  const usual = usualOf(baseline, metric);
  const off = values.map((value) => (Number.isFinite(value) ? sign * (value - usual) : -Infinity));
  const worst = Math.max(...off);
  return new Set(times.filter((_, i) => (off[i] ?? -Infinity) >= worst * BAD));
}

function usualOf(baseline: readonly number[], metric: EndMetric): number {
  const finite = baseline.filter(Number.isFinite);
  return finite.length >= LEAST_BASELINE ? median(finite) : metric === 'availability' ? 100 : NaN;
}

function amountOf(
  { times, values, baseline }: NodeMetric,
  requests: NodeMetric | undefined,
  metric: EndMetric,
  bad: ReadonlySet<number>,
): Omit<Amount, 'node'> | undefined {
  const at = (wanted: boolean) =>
    values.filter((value, i) => Number.isFinite(value) && bad.has(times[i] ?? NaN) === wanted);
  const now = mean(at(true));
  if (!Number.isFinite(now)) return undefined;
  const quiet = at(false).length > 0 ? median(at(false)) : NaN;
  const finite = baseline.filter(Number.isFinite);
  const enough = finite.length >= LEAST_BASELINE;
  const expected = enough ? median(finite) : Number.isFinite(quiet) ? quiet : usualOf([], metric);
  if (!Number.isFinite(expected)) return undefined;
  const sign = metric === 'availability' ? -1 : 1;
  // Deviations in the quiet intervals do not belong to this incident.
  const usual = Number.isFinite(quiet) ? sign * Math.max(sign * expected, sign * quiet) : expected;
  const off = sign * (now - usual);
  const spread = enough ? Math.max(interquartileRange(finite), 1e-9) : NaN;
  const perInterval = requests === undefined ? 0 : requestsIn(requests, bad);
  const scale =
    metric === 'availability'
      ? Math.max(Number.isNaN(spread) ? 0 : spread, 0.25)
      : Number.isNaN(spread)
        ? Math.max(0.2 * Math.abs(expected), 1e-6)
        : Math.max(spread, 0.02 * Math.abs(expected));
  const amount = Math.max(0, off) * perInterval * (metric === 'availability' ? 0.01 : 1);
  return { deviations: off / scale, amount, usual, now };
}

/** Requests in one of the bad intervals; if none were recorded, as many as in the others. */
function requestsIn({ times, values, baseline }: NodeMetric, bad: ReadonlySet<number>): number {
  const finite = values.filter((value, i) => Number.isFinite(value) && bad.has(times[i] ?? NaN));
  const [counts = []] = [finite, values, baseline]
    .map((list) => list.filter(Number.isFinite))
    .filter((list) => list.length > 0);
  return counts.length > 0 ? mean(counts) : 0;
}

/** The call graph, with edges that names imply; none that would close a cycle. */
function callGraph(nodes: readonly GraphNode[]): Map<string, Set<string>> {
  const calls = new Map(nodes.map(({ id, dependsOn }) => [id, new Set(dependsOn)]));
  for (const [host, service] of impliedEdges(nodes.map(({ id }) => id)))
    if (!reachableFrom(calls, service).has(host)) calls.get(host)?.add(service);
  return calls;
}

const HOST = /\.(elb|lb|svc|internal|local|com|net)\b|_remote$/i;
const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
const hostWords = (host: string): string[] => wordsIn(host.split('.')[0] ?? '');

/**
 * A load balancer or a remote end is a view of the service behind it: the host's first label shares
 * a word with the service's name. Words that many hosts have (the name of the system) do not count.
 * @internal Exported for tests.
 */
export function impliedEdges(ids: readonly string[]): [host: string, service: string][] {
  const hosts = ids.filter((id) => HOST.test(id));
  const services = ids.filter((id) => !HOST.test(id) && !/_client$/.test(id));
  const usual = (word: string) =>
    hosts.length > 2 &&
    hosts.filter((host) => hostWords(host).includes(word)).length > hosts.length / 2.5;
  return hosts.flatMap((host) => {
    const telling = hostWords(host).filter((word) => word.length >= 4 && !usual(word));
    return services.flatMap((service): [string, string][] => {
      const name = wordsIn(service)[0] ?? '';
      const match =
        name.length >= 5 && telling.some((word) => name.includes(word) || word.includes(name));
      return match ? [[host, service]] : [];
    });
  });
}

function reachableFrom(
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
): Set<string> {
  const reached = new Set([start]);
  // Grows during the loop.
  for (const id of reached) for (const next of calls.get(id) ?? []) reached.add(next);
  return reached;
}

/**
 * The suffixes under which tracers show several views of one component: the function, its service,
 * its client side.
 */
const VIEW = /_(AWS::.*|client|remote|Database::SQL)$/;

/**
 * Views of one component that are all far off belong together: each gets nearly the score of the
 * best one.
 */
function joinViews(found: readonly Attribution[]): Attribution[] {
  const best = new Map<string, Attribution>();
  for (const each of found) {
    const component = each.node.replace(VIEW, '');
    if (each.score > (best.get(component)?.score ?? 0)) best.set(component, each);
  }
  return found.map((each) => {
    const top = best.get(each.node.replace(VIEW, ''));
    const joined =
      top &&
      top !== each &&
      each.amount >= 0.5 * top.amount &&
      each.deviations > UNHEALTHY_DEVIATIONS;
    return joined ? { ...each, score: Math.max(each.score, 0.9 * top.score) } : each;
  });
}
