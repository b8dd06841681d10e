import type { Anomalies } from '../observations.js';
import type { Change } from '../../domain/telemetry/records.js';
import type { ReadChange } from './read-change.js';
import { escapePattern } from '../../lib/text.js';
import { isLinked } from '../call-graph.js';
import { before, clock, SLACK_MS } from './lead-time.js';

const MINUTE = 60_000;

interface Scene {
  anomalies: Anomalies;
  calls: ReadonlyMap<string, ReadonlySet<string>>;
  commits: readonly { change: Change }[];
  deploys: readonly Change[];
  /** When each unhealthy node became so. */
  unhealthy: ReadonlyMap<string, number>;
  /** The nodes with recorded telemetry. */
  recorded: ReadonlySet<string | undefined>;
}

/** Whether a deploy names a commit, in full or by a prefix. */
export const names = ({ commit = '' }: Change, { id = '', commit: sha = id }: Change): boolean =>
  commit !== '' &&
  (commit === id ||
    commit === sha ||
    (commit.length >= SHORTEST_SHA && (id.startsWith(commit) || sha.startsWith(commit))));

const SHORTEST_SHA = 7;
/**
 * The factor of a change that went live after the first signs: these may belong to something else.
 */
export const AFTER_FIRST_SIGNS = 0.45;
/** The factor of a change that went live after the failure began. */
export const AFTER_FAILURE = 0.15;

/** Suffixes of names that folders omit. */
const COMMON_END = /[-_ ]?(service|svc|server|api|app)$/;
/** Words of paths and names are joined by `-`. */
const dashed = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[_. ]/g, '-');

/**
 * The nodes that the paths of a change name as a whole word: the one of the outermost folder first.
 * A client of a node is code of its callers.
 */
export function touchedNodes({ view }: ReadChange, nodes: readonly string[]): string[] {
  const paths = view.files.map((path) => `/${dashed(path)}/`);
  const placeOf = (node: string): number => {
    const whole = dashed(node);
    const short = dashed(node.replace(COMMON_END, ''));
    const names = [whole, ...(short.length >= 3 ? [short] : [])].map(escapePattern).join('|');
    const named = new RegExp(`(?<=[/-])(?:${names})(?=[/-])(?![/-]client[^/]*/$)`);
    const called = new RegExp(`[/-]clients?[/-](?:${names})[/-]`);
    const places = paths.flatMap((path) =>
      named.test(path) && !called.test(path) ? path.search(named) : [],
    );
    return Math.min(...places);
  };
  return nodes
    .map((node) => ({ node, at: placeOf(node) }))
    .filter(({ at }) => at < Infinity)
    .toSorted((a, b) => a.at - b.at)
    .map(({ node }) => node);
}

/**
 * A commit goes live with its own deploy, or with the first deploy of a node that it touches which
 * names a later commit. Deploys do not always name commits: it may go live with the next deploy of
 * a node that it touches, otherwise of an unhealthy one.
 * @param touched the nodes that it touches
 */
export function judgeTime(change: Change, touched: readonly string[], scene: Scene) {
  const { firstOnset } = scene.anomalies;
  const { own, rides, brought, how, known } = wentLive(change, touched, scene);
  const mainOnset = beganFor(own?.node ?? touched[0] ?? rides?.node, scene);
  const liveAt = rides?.at ?? change.at;
  const age = Math.max(0, firstOnset - liveAt) / MINUTE;
  const lead = (onset: number) => before(onset - liveAt);
  const at = (time: number) => clock(time, scene.anomalies.reportedAt);
  const base = { own, rides, brought, liveAt };
  if (liveAt > mainOnset + SLACK_MS)
    return {
      ...base,
      factor: AFTER_FAILURE,
      for: [],
      against: [`${how} at ${at(liveAt)}, after the failure began at ${at(mainOnset)}`],
    };
  if (liveAt > firstOnset + SLACK_MS)
    return {
      ...base,
      factor: AFTER_FIRST_SIGNS,
      for: [`${how} at ${at(liveAt)}, ${lead(mainOnset)} the failure began at ${at(mainOnset)}`],
      against: [`${how} at ${at(liveAt)}, after the first signs at ${at(firstOnset)}`],
    };
  return {
    ...base,
    factor: known * (0.75 + 0.25 * Math.exp(-age / 30)),
    for: [`${how} at ${at(liveAt)}, ${lead(firstOnset)} the first signs at ${at(firstOnset)}`],
    against: own || rides ? [] : ['no deploy of it was recorded'],
  };
}

/**
 * The beginning of the failure that a change of a node may have caused. If only the first error of
 * another node indicates it, and there is no call between the two nodes, it is not used: then it is
 * the time at which the node, or one connected with it, became unhealthy.
 */
function beganFor(
  node: string | undefined,
  { anomalies: { mainOnset, moved, appeared }, unhealthy, calls }: Scene,
): number {
  const of = [
    ...moved.filter(({ onset }) => onset.at === mainOnset),
    ...appeared.filter(({ first }) => first === mainOnset),
  ].flatMap((each) => each.node ?? []);
  if (node === undefined || of.length === 0 || of.some((id) => isLinked(id, node, calls)))
    return mainOnset;
  const own = [...unhealthy].flatMap(([id, at]) => (isLinked(id, node, calls) ? at : []));
  return own.length > 0 ? Math.min(...own) : mainOnset;
}

/** The deploy that brought a change, its description, and its confidence. */
function wentLive(
  change: Change,
  touched: readonly string[],
  { commits, deploys, anomalies: { reportedAt }, unhealthy }: Scene,
) {
  const none = new Set<string | undefined>();
  // Configuration is live immediately; only a commit waits for a deploy.
  if (change.kind !== 'commit')
    return { own: change, rides: change, brought: none, how: 'deployed', known: 1 };
  const inTime = deploys.filter(({ at }) => at <= reportedAt + MINUTE);
  const isOf = ({ node }: Change) => node !== undefined && touched.includes(node);
  const naming = inTime.filter((deploy) => names(deploy, change));
  // Services of one repository are deployed from one commit.
  const own = naming.find(isOf) ?? naming[0];
  if (own) return { own, rides: own, brought: none, how: 'deployed', known: 1 };
  const later = inTime.filter(({ at }) => at >= change.at);
  const carrier = later.find(
    (deploy) =>
      isOf(deploy) &&
      commits.some(({ change: head }) => head.at >= change.at && names(deploy, head)),
  );
  if (carrier)
    return { own: undefined, rides: carrier, brought: none, how: livesWith(carrier), known: 0.95 };
  // Each later deploy may contain it: the last one before its node became unhealthy counts.
  const sick = later.filter(({ node }) => node !== undefined && unhealthy.has(node));
  const isBefore = ({ node = '', at }: Change) => at <= (unhealthy.get(node) ?? 0) + SLACK_MS;
  const likely = sick.some(isOf) ? sick.filter(isOf) : sick;
  const rides = likely.findLast(isBefore) ?? likely[0] ?? later.find(isOf) ?? later[0];
  const brought = new Set(sick.map(({ node }) => node));
  if (rides === undefined) return { own: undefined, rides, brought, how: 'committed', known: 0.6 };
  return { own: undefined, rides, brought, how: `maybe ${livesWith(rides)}`, known: 0.85 };
}

const livesWith = ({ node }: Change): string =>
  node === undefined ? 'live with the next deploy' : `live with the deploy of ${node}`;

const SHARED = /(^|\s)(pkg|lib|libs|internal|common|shared|core|platform|vendor|schema|proto)\//;

export function judgePlace(
  { view }: ReadChange,
  touched: readonly string[],
  {
    own: deploy,
    rides,
    brought = new Set(),
  }: {
    own: Change | undefined;
    rides: Change | undefined;
    /** The unhealthy nodes that it reached by deploys that do not name it. */
    brought?: ReadonlySet<string | undefined>;
  },
  { unhealthy, recorded }: Scene,
) {
  const paths = view.files.join(' ').toLowerCase();
  // A change runs where it was deployed; its paths are used only if no deploy is known.
  const at = deploy?.node === undefined ? touched : [deploy.node, ...touched];
  const sick = at.find((node) => unhealthy.has(node));
  if (sick !== undefined)
    return { factor: 1, node: sick, for: [`it changes ${sick}, which is unhealthy`], against: [] };
  const [only] = brought;
  if (touched.length === 0 && only !== undefined)
    return {
      factor: 0.85,
      node: brought.size === 1 ? only : undefined,
      for: [`it may be part of what was deployed to ${[...brought].join(', ')}: unhealthy`],
      against: [],
    };
  const node = at[0] ?? rides?.node;
  if (SHARED.test(paths))
    return {
      factor: 0.85,
      node,
      for: ['it changes code that several services share'],
      against: [],
    };
  const against = [
    node === undefined
      ? 'it names no unhealthy node'
      : `it changes ${node}, ${recorded.has(node) ? 'which shows no symptom' : 'of which nothing was recorded'}`,
  ];
  return { factor: 0.6, node, for: [], against };
}
