import { clamp } from '../stats.js';
import type { TextSymptom } from '../symptoms.js';
import type { Change } from '../../domain/telemetry/records.js';
import type { ChangeScene } from './change-scene.js';
import { filesInMessage, namesInCode } from './code-names.js';
import { INERT } from './file-kind.js';
import type { ReadChange } from './read-change.js';
import { isRearranged, touchedLines } from './touched-code.js';
import { coincidence } from './unread-changes.js';
import { AFTER_FAILURE, type judgePlace, type judgeTime } from './when-and-where.js';

/**
 * The score of time and place for a change whose diff does not show how it would cause the failure.
 */
const MOST_BY_TIME = 0.45;
/** The score of a name that the new errors and the touched code share. */
const MOST_BY_NAME = 0.5;
/** A change that a deploy contains without naming it. */
const UNNAMED = 0.3;
/** The same names and values before and after: most such changes are harmless. */
const REARRANGED = 0.3;
/** Patches of dependencies are made not to change what the code does (semver.org). */
const ONLY_DEPENDENCIES = 0.3;

/**
 * How readily code causes a symptom in a way that no rule of mechanisms recognises: by wrong or
 * missing values. Queries, loops, locks, waits and settings, which use time or resources, are
 * recognised by the rules.
 */
// prettier-ignore
const BY_ANY_CODE: Partial<Record<TextSymptom, number>> = {
  crash: 1, wrong: 1, error: 0.9, deser: 0.9, client: 0.8, notfound: 0.8, startup: 0.8, conflict: 0.6, schema: 0.5, auth: 0.5,
  retry: 0.3, restart: 0.3, latency: 0.25, timeout: 0.25, cpu: 0.25, load: 0.25, queue: 0.25, cache: 0.25, memory: 0.25, oom: 0.25,
};

/** The evidence for and against a change, apart from its mechanism. */
export interface CircumstanceScore {
  score: number;
  /** The share of its code that the new errors name, 0 to 1. */
  named: number;
  /**
   * It touches nothing that the failure could come from, or went live too late: it is not the
   * cause.
   */
  cleared?: string;
  for: string[];
  against: string[];
}

/** Where and when a change went live. */
export interface ChangeCircumstances {
  timing: ReturnType<typeof judgeTime>;
  place: ReturnType<typeof judgePlace>;
}

/**
 * Judges a change by time and place, and by the names that its code and the new errors share. A
 * diff that is not understood rules out no change; one that touches no running code does.
 */
export function judgeUnexplained(
  change: Change,
  { view }: ReadChange,
  { timing, place }: ChangeCircumstances,
  scene: ChangeScene,
): CircumstanceScore {
  const isRecorded = change.diff !== undefined;
  const lines = touchedLines(view);
  const cleared = clearedBy(isRecorded, view, lines);
  if (cleared !== undefined) return { ...NOTHING, cleared, against: [cleared] };
  const shared = sharedNames(lines, view.files, scene);
  const isKnown = timing.own !== undefined || change.kind !== 'commit';
  const near = coincidence(
    { kind: change.kind, node: place.node ?? timing.rides?.node, at: timing.liveAt },
    scene,
  );
  const fits =
    (isRecorded ? fitOf(scene) : 1) *
    (isRecorded && isRearranged(view) ? REARRANGED : 1) *
    (view.kinds.length > 0 && view.kinds.every((kind) => kind === 'deps' || INERT.includes(kind))
      ? ONLY_DEPENDENCIES
      : 1);
  const isLate = timing.factor <= AFTER_FAILURE;
  const byTime = MOST_BY_TIME * near.score * (isKnown ? 1 : UNNAMED) * (isLate ? timing.factor : 1);
  const byName = MOST_BY_NAME * shared.strength * timing.factor * place.factor;
  return {
    score: fits * (1 - (1 - byTime) * (1 - byName)),
    named: shared.strength,
    for: shared.says,
    against: [
      isRecorded ? 'its diff does not show how it would cause this' : 'its diff was not recorded',
    ],
  };
}

const NOTHING = { score: 0, named: 0, for: [] };

function clearedBy(
  isRecorded: boolean,
  { kinds, cosmetic }: ReadChange['view'],
  lines: readonly string[],
): string | undefined {
  if (kinds.length > 0 && kinds.every((kind) => INERT.includes(kind)))
    return `it changes only files that no running system loads (${kinds.join(', ')})`;
  if (!isRecorded) return undefined;
  if (cosmetic) return 'it changes nothing that a running system loads';
  return lines.length === 0 ? 'it changes only texts for people' : undefined;
}

/** How well the symptoms fit code with an unknown mechanism. */
const fitOf = ({ symptoms }: ChangeScene): number =>
  Math.max(
    0.1,
    ...Object.entries(BY_ANY_CODE).map(
      ([symptom, weight]) => weight * (symptoms.get(symptom as TextSymptom) ?? 0),
    ),
  );

const MOST_SHOWN = 4;
/** A single name that few other changes have. */
const TELLING = 0.6;

/** Files that most programs have. */
const EVERYWHERE = /^(main|index|app|server|utils?|__init__|__main__|mod|lib|helpers?)\.\w+$/i;
const COMMON = 0.3;

function sharedNames(
  lines: readonly string[],
  paths: readonly string[],
  { names, faultText, calmText, commits }: ChangeScene,
): { strength: number; says: string[] } {
  const holders = commits.map(({ read }) => read.names);
  const rarity = (name: string): number => {
    const count = Math.max(1, holders.filter((each) => each.has(name)).length);
    return Math.log(1 + holders.length / count) / Math.log(1 + Math.max(1, holders.length));
  };
  const own = [...namesInCode(lines)].filter((name) => names.has(name));
  const usual = filesInMessage(calmText);
  const raised = filesInMessage(faultText);
  const files = paths
    .map((path) => path.split('/').at(-1) ?? path)
    .filter((file) => raised.has(file) && !usual.has(file));
  const weights = [
    ...own.map(rarity),
    ...files.map((file) => (EVERYWHERE.test(file) ? COMMON : 1)),
  ];
  return {
    strength: clamp(1 - weights.reduce((left, weight) => left * (1 - TELLING * weight), 1)),
    says: [
      ...(own.length > 0
        ? [`its diff and the new errors both have ${own.slice(0, MOST_SHOWN).join(', ')}`]
        : []),
      ...(files.length > 0 ? [`the new errors name ${files[0]}, which it changes`] : []),
    ],
  };
}
