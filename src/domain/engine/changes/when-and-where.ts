import type { Trouble } from '../observations.js';
import type { Change } from '../records.js';
import type { ReadChange } from './read-change.js';
import { escapePattern } from '../../../lib/text.js';
import { before, clock, SLACK_MS } from './lead-time.js';

const MINUTE = 60_000;

interface Scene {
  trouble: Trouble;
  deploys: readonly Change[];
  nodes: readonly string[];
  /** When each unwell node became so. */
  unwell: ReadonlyMap<string, number>;
  /** The nodes of which anything was recorded. */
  recorded: ReadonlySet<string | undefined>;
}

/** Whether a deploy names a commit, in full or by a prefix. */
export const names = ({ commit = '' }: Change, { id = '', commit: sha = id }: Change): boolean =>
  commit !== '' &&
  (commit === id ||
    commit === sha ||
    (commit.length >= SHORTEST_SHA && (id.startsWith(commit) || sha.startsWith(commit))));

const SHORTEST_SHA = 7;
/** The factor of a change that went live after the first signs: these may be of something else. */
export const AFTER_FIRST_SIGNS = 0.45;

/** A commit is live with its own deploy, else with the next deploy of an unwell node: deploys do not always name the commit. */
export function judgeTime(change: Change, { deploys, trouble, unwell }: Scene) {
  const { reportedAt, mainOnset, firstOnset } = trouble;
  // Configuration is live at once; only a commit waits for a deploy.
  const own =
    change.kind === 'commit'
      ? deploys.find((deploy) => names(deploy, change) && deploy.at <= reportedAt + MINUTE)
      : change;
  const later = deploys.filter((deploy) => deploy.at >= change.at && deploy.at <= reportedAt);
  // Each later deploy brings it: the last one before its node became unwell is the one to look at.
  const sick = later.filter(({ node }) => node !== undefined && unwell.has(node));
  const inTime = ({ node = '', at: time }: Change) => time <= (unwell.get(node) ?? 0) + SLACK_MS;
  const rides = own ?? sick.findLast(inTime) ?? sick[0] ?? later[0];
  const brought = new Set(own ? [] : sick.map(({ node }) => node));
  const liveAt = rides?.at ?? change.at;
  const how = own ? 'deployed' : rides ? 'live with the next deploy' : 'committed';
  const age = Math.max(0, firstOnset - liveAt) / MINUTE;
  const lead = (onset: number) => before(onset - liveAt);
  const base = { own, rides, brought, liveAt };
  if (liveAt > mainOnset + SLACK_MS)
    return {
      ...base,
      factor: 0.15,
      for: [],
      against: [`${how} at ${clock(liveAt)}, after the trouble began at ${clock(mainOnset)}`],
    };
  if (liveAt > firstOnset + SLACK_MS)
    return {
      ...base,
      factor: AFTER_FIRST_SIGNS,
      for: [
        `${how} at ${clock(liveAt)}, ${lead(mainOnset)} the trouble began at ${clock(mainOnset)}`,
      ],
      against: [`${how} at ${clock(liveAt)}, after the first signs at ${clock(firstOnset)}`],
    };
  const known = own ? 1 : rides ? 0.85 : 0.6;
  return {
    ...base,
    factor: known * (0.75 + 0.25 * Math.exp(-age / 30)),
    for: [
      `${how} at ${clock(liveAt)}, ${lead(firstOnset)} the first signs at ${clock(firstOnset)}`,
    ],
    against: own || rides ? [] : ['no deploy of it was recorded'],
  };
}

const SHARED = /(^|\s)(pkg|lib|libs|internal|common|shared|core|platform|vendor|schema|proto)\//;

export function judgePlace(
  { view }: ReadChange,
  {
    own: deploy,
    rides,
    brought = new Set(),
  }: {
    own: Change | undefined;
    rides: Change | undefined;
    /** The unwell nodes to which it was brought by deploys that do not name it. */
    brought?: ReadonlySet<string | undefined>;
  },
  { nodes, unwell, recorded }: Scene,
) {
  const paths = view.files.join(' ').toLowerCase();
  const touched = nodes.filter((node) => {
    const short = node.toLowerCase().replace(/[-_ ]?(service|svc|server|api|app)$/, '');
    return (
      paths.includes(node.toLowerCase()) ||
      (short.length >= 3 && new RegExp(`(^|[/_.-])${escapePattern(short)}([/_.-]|$)`).test(paths))
    );
  });
  const sick =
    touched.find((node) => unwell.has(node)) ??
    (deploy?.node !== undefined && unwell.has(deploy.node) ? deploy.node : undefined);
  if (sick !== undefined)
    return { factor: 1, node: sick, for: [`it changes ${sick}, which is unwell`], against: [] };
  const [only] = brought;
  if (touched.length === 0 && only !== undefined)
    return {
      factor: 0.85,
      node: brought.size === 1 ? only : undefined,
      for: [`it may be part of what was deployed to ${[...brought].join(', ')}: unwell`],
      against: [],
    };
  const node = touched[0] ?? deploy?.node ?? rides?.node;
  if (SHARED.test(paths))
    return {
      factor: 0.85,
      node,
      for: ['it changes code that several services share'],
      against: [],
    };
  const against = [
    node === undefined
      ? 'it does not name a node that is unwell'
      : `it changes ${node}, ${recorded.has(node) ? 'which shows no trouble' : 'of which nothing was recorded'}`,
  ];
  return { factor: 0.6, node, for: [], against };
}
