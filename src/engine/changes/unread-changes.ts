import { clipAtWord } from '../../lib/text.js';
import type { Change } from '../../domain/telemetry/records.js';
import type { ChangeScene } from './change-scene.js';
import { before, clock, SLACK_MS } from './lead-time.js';
import { names } from './when-and-where.js';

/** The maximum score of time and place alone. */
const MOST = 0.5;
/**
 * A flag or a restart takes effect immediately: healthy minutes afterwards are evidence against it.
 */
const SOON_MS = 2 * 60_000;
/** A deployment replaces one instance after the other. */
const ROLLOUT_MS = 5 * 60_000;
/** Machines and networks are replaced one by one, after their pods were moved. */
const PROVISIONING_MS = 10 * 60_000;
const TAKES: Partial<Record<Change['kind'], number>> = {
  deploy: ROLLOUT_MS,
  commit: ROLLOUT_MS,
  infra: PROVISIONING_MS,
};
/** Slow growth is noticed late, by up to this share of the time for which it grew. */
const SEEN_LATE = 0.25;
/** Other nodes showed a failure before the change's own node. */
const NOT_FIRST = 0.3;

/** How well the time and the place of a change fit, and why. */
export interface Coincidence {
  /** 0 to 1. */
  score: number;
  /** It came after the failure. */
  isLate: boolean;
  for: string[];
  against: string[];
}

/** When nodes became unhealthy, and which nodes have recorded telemetry. */
type Place = Pick<ChangeScene, 'unhealthy' | 'growing' | 'recorded'> & { now?: number };

/**
 * The changes whose content was not recorded: flags, configuration and manual steps without a diff;
 * deploys that name no recorded commit.
 */
export function unreadChanges(changes: readonly Change[]): Change[] {
  const commits = changes.filter(({ kind }) => kind === 'commit');
  const isRead = (deploy: Change) => commits.some((commit) => names(deploy, commit));
  return changes.filter(
    (change) =>
      change.diff === undefined &&
      change.kind !== 'commit' &&
      (change.kind !== 'deploy' || !isRead(change)),
  );
}

/** The evidence of time and place for a change about which nothing else is known. */
export function judgeUnread(change: Change, place: Place): Coincidence {
  const { score, ...said } = coincidence(change, place);
  return { score: MOST * score, ...said };
}

/**
 * A change is suspect if it went live at the node that fails first, shortly before it does. The
 * first question of an operator is what was changed last (Beyer et al., Site Reliability
 * Engineering, 2016, chapter 12).
 */
export function coincidence(
  {
    node,
    at,
    kind,
    failed,
  }: Pick<Change, 'at' | 'kind' | 'failed'> & {
    node?: string | undefined;
  },
  { unhealthy, growing, recorded, now }: Place,
): Coincidence {
  const since = node === undefined ? undefined : unhealthy.get(node);
  const none = { score: 0, isLate: false, for: [] };
  if (node === undefined) return { ...none, against: ['it names no node'] };
  if (since === undefined) {
    const silence = recorded.has(node)
      ? `${node} shows no symptom`
      : `nothing was recorded of ${node}`;
    return { ...none, against: [silence] };
  }
  const gap = since - at;
  const done = failed ? 'tried' : 'live';
  if (gap < -SLACK_MS)
    return {
      ...none,
      isLate: true,
      against: [
        `${done} at ${clock(at, now)}, after ${node} became unhealthy at ${clock(since, now)}`,
      ],
    };
  const isFirst = since <= Math.min(...unhealthy.values()) + 2 * SLACK_MS;
  const soon = (TAKES[kind] ?? SOON_MS) + SEEN_LATE * (growing.get(node) ?? 0);
  return {
    isLate: false,
    score: Math.exp(-Math.max(0, gap) / soon) * (isFirst ? 1 : NOT_FIRST),
    for: [
      `${done} at ${clock(at, now)}, ${before(gap)} ${node} became unhealthy at ${clock(since, now)}${isFirst ? ', as the first node' : ''}`,
    ],
    against: isFirst ? [] : ['other nodes became unhealthy before it'],
  };
}

/** The label of a change: its id, otherwise the flag, the commit or the version that it names. */
export const idOfChange = ({ id, flag, commit, version }: Change): string | undefined =>
  id ?? flag ?? commit ?? version;

const SHA = /^[0-9a-f]{40,64}$/;
/** An id as people write it: the beginning of a commit hash, any other one whole. */
export const shortId = (id: string): string => (SHA.test(id) ? id.slice(0, 12) : id);

/** The first line of what is known about a change. */
export function titleOfChange({ kind, message, flag, from, to, version, node }: Change): string {
  const first = clipAtWord(message?.split('\n')[0] ?? '', 120);
  if (kind === 'flag' && flag !== undefined)
    return `flag ${flag}: ${from ?? '?'} → ${to ?? '?'}${first === '' ? '' : `, ${first}`}`;
  if (first !== '') return first;
  return `${kind} ${[node, version].filter(Boolean).join(' ')}`.trim();
}
