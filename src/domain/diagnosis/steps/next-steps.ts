import { withChangeSteps } from './change-steps.js';
import { groupBy } from '../../../lib/group-by.js';
import { clipAtWord } from '../../../lib/text.js';
import type { Topology } from '../../topology/topology.js';
import { inOrder, type AgentReport } from '../agent-report.js';
import {
  ofOtherKind,
  symptomOf,
  type Finding,
  type NextStep,
  type RootCause,
  type Unchecked,
} from '../finding.js';
import type { NextStepCatalogue } from '../../prompt/prompts.js';
import { KIND_BY_SYMPTOM, reportedPlace } from '../issue-kind.js';
import type { CommandTarget } from './command-target.js';
import {
  asAdministrator,
  commandFor,
  inFailure,
  placed,
  stepWords,
  type MeasuredPlace,
} from './step-command.js';
import { atObject } from './step-object.js';
import { entryFor } from './step-entry.js';
import type { UnreadChanges } from '../unchecked/unread-telemetry.js';
import { leftOff, MOST_TEXT, uncheckedSteps, unreadChangesSteps } from './unchecked-steps.js';

/** Maximum nodes for which all steps are given, and maximum steps of agents. */
const MOST_NODES = 5;
const MOST_PROPOSED = 5;
/** Maximum failures with at least their first step, and dependencies that answers name. */
const MOST_FAILURES = 25;
const MOST_BLAMED = 2;

/** What a run knows about its nodes. */
interface StepInput {
  rootCauses: readonly RootCause[];
  findings: readonly Finding[];
  unchecked: readonly Unchecked[];
  /** Changes that could not be read. */
  unreadChanges?: readonly UnreadChanges[];
  /**
   * Findings of downstream nodes at which nothing listens: their first step shows whether that is
   * the only fault.
   */
  silent?: readonly Finding[];
  /** Nodes that were changed after their measurement. */
  changed?: readonly string[];
  /** Where nodes were measured, by id. */
  places?: ReadonlyMap<string, MeasuredPlace>;
}

type Failure = Pick<RootCause, 'node' | 'title' | 'symptom' | 'evidence' | 'change'> &
  Pick<RootCause, 'kind' | 'steps' | 'part' | 'object'>;

/** The steps of the catalogue for a failure of a node. */
const stepsFor = (failure: Failure, at: CommandTarget, catalogue: NextStepCatalogue): NextStep[] =>
  stepsOf(catalogue[entryFor(failure, at, catalogue)] ?? [], failure, inFailure(at, failure));

function stepsOf(
  entry: NextStepCatalogue[string],
  { evidence, kind }: Pick<Failure, 'evidence' | 'kind'>,
  at: CommandTarget,
): NextStep[] {
  return entry.map(({ look, change, command = [] }) => {
    const access = look === undefined ? 'change' : 'read';
    // The user of the diagnosis may be the refused one.
    const by = access === 'change' || kind === 'auth' ? asAdministrator(at) : at;
    const fitting = commandFor([command].flat(), by);
    return {
      text: stepWords(look ?? change ?? '', by, fitting, access),
      node: at.node.id,
      access,
      evidence,
      ...(fitting !== undefined && { command: fitting }),
      origin: 'catalogue',
    };
  });
}

/**
 * The place of a failure that its node only reports about another host, if all its findings of that
 * kind do.
 */
function placeOf(
  { node, kind }: Failure,
  findings: readonly Finding[],
): ReturnType<typeof reportedPlace> {
  const places = findings
    .filter((finding) => finding.node === node && finding.kind === kind)
    .map((finding) => reportedPlace({ ...finding, symptom: symptomOf(finding) }));
  return places.includes(undefined) ? undefined : places[0];
}

/**
 * The steps for a failure. They are about another host if the node only reports the failure of that
 * host.
 */
function stepsWhere(
  failure: Failure,
  found: CommandTarget,
  catalogue: NextStepCatalogue,
  findings: readonly Finding[],
): NextStep[] {
  const place = placeOf(failure, findings);
  const entry = catalogue[`${failure.kind}-of-another`];
  if (place === undefined || entry === undefined) return stepsFor(failure, found, catalogue);
  const { host, port } = place;
  return stepsOf(entry, failure, { ...found, values: { ...found.values, host, port } });
}

/**
 * If a root cause names a dependency about which no measurement decides, it is checked first: a
 * port that accepts connections is no proof of a healthy database. The text of a probed system
 * makes no node a cause, but checking the node that it names costs little and may end the search.
 */
function blamedSteps(
  { rootCauses, findings }: StepInput,
  byId: ReadonlyMap<string, CommandTarget>,
  catalogue: NextStepCatalogue,
): NextStep[] {
  const causes = new Set(rootCauses.map(({ node }) => node));
  const blamed = findings.filter(({ via }) => via !== undefined && causes.has(via));
  const shown = blamed.slice(0, MOST_BLAMED);
  const isShown = (id: string) => shown.some(({ node }) => node === id);
  const rest = blamed.flatMap(({ node }) =>
    isShown(node) ? [] : (byId.get(node)?.node.name ?? []),
  );
  const steps = shown.flatMap((finding): NextStep[] => {
    const { node, title, evidence } = finding;
    const at = byId.get(node);
    if (at === undefined) return [];
    const text = clipAtWord(`Look at ${at.node.name} first: ${title}.`, MOST_TEXT);
    const looks = stepsFor(finding, at, catalogue).filter(({ access }) => access === 'read');
    return [{ text, node, access: 'read', evidence, origin: 'catalogue' }, ...looks];
  });
  return [...steps, ...leftOff(rest, () => 'Also named in failing answers, but not measured')];
}

/**
 * If a root cause states the kind of its own failure about a dependency, the steps of that kind are
 * about the dependency: its own steps are those of its symptom. A credential that a dependency
 * refuses belongs to the root cause.
 */
function ownFailures(failures: readonly Failure[], findings: readonly Finding[]): Failure[] {
  const passedOn = new Set(findings.map(({ via = '', kind }) => JSON.stringify([via, kind])));
  return failures.map((failure) => {
    const { node, kind, symptom } = failure;
    if (symptom === undefined || kind === 'auth' || !passedOn.has(JSON.stringify([node, kind])))
      return failure;
    return ofOtherKind(failure, KIND_BY_SYMPTOM[symptom]);
  });
}

const SERIOUS = ['critical', 'warning'] as const;

/** Whether more is known about a failure than its symptom. */
const isSpecific = (failure: Pick<Failure, 'kind' | 'steps' | 'symptom'>): boolean =>
  failure.symptom === undefined ||
  failure.kind !== KIND_BY_SYMPTOM[failure.symptom] ||
  failure.steps !== undefined;

/**
 * Further findings at the root causes, the most severe first, then advisories of other nodes; only
 * those with a kind that has steps.
 */
function besides({ rootCauses, findings }: StepInput): Failure[] {
  const causes = new Set(rootCauses.map(({ node }) => node));
  const explained = new Set(rootCauses.filter(isSpecific).map(({ node }) => node));
  const known = findings.filter(
    (finding) =>
      (finding.kind ?? 'unknown') !== 'unknown' &&
      (isSpecific({ ...finding, symptom: symptomOf(finding) }) || !explained.has(finding.node)),
  );
  const [critical = [], warnings = []] = SERIOUS.map((each) =>
    known.filter(({ severity }) => severity === each),
  );
  return [
    ...[...critical, ...warnings].filter(({ node, via }) => via === undefined && causes.has(node)),
    ...warnings.filter((finding) => symptomOf(finding) === 'advisory'),
  ];
}

/** Of several failures of one kind at a node, the better known ones, if there are any. */
const mostTold = (failures: readonly Failure[]): Failure[] =>
  failures.filter(
    (failure) =>
      isSpecific(failure) ||
      !failures.some(
        (other) => other.node === failure.node && other.kind === failure.kind && isSpecific(other),
      ),
  );

/**
 * The next steps: first to measure again what was changed; then about the root causes, further
 * findings there and the advisories, otherwise about all findings, otherwise about what was not
 * checked; then proposals of agents.
 */
export function nextSteps(
  { nodes, sources }: Pick<Topology, 'nodes' | 'sources'>,
  known: StepInput,
  reports: readonly AgentReport[],
  catalogue: NextStepCatalogue,
): NextStep[] {
  const byId = new Map(
    nodes.map((node): [string, CommandTarget] => [
      node.id,
      placed(node, sources, known.places?.get(node.id)),
    ]),
  );
  const nameOf = ({ node }: { node: string }) => byId.get(node)?.node.name ?? node;
  const changed = new Set(known.changed);
  const again = [...changed].map((node): NextStep => ({
    text: `Diagnose again: ${byId.get(node)?.node.name ?? node} was changed after it was measured.`,
    node,
    access: 'read',
    origin: 'catalogue',
  }));
  const { silent = [] } = known;
  const failures: Failure[] =
    known.rootCauses.length > 0
      ? [
          ...mostTold(ownFailures([...known.rootCauses, ...besides(known)], known.findings)),
          ...silent,
        ]
      : known.findings.filter(({ severity }) => severity !== 'info');
  const placedFailures = failures.flatMap((failure) => {
    const at = byId.get(failure.node);
    return at === undefined ? [] : { failure, at: atObject(at, failure, known.findings) };
  });
  const chosen = groupBy(
    placedFailures,
    ({ failure, at }) =>
      `${failure.node} ${at.values['workload']} ${entryFor(failure, at, catalogue)}`,
  );
  const all = [...chosen.values()].flatMap(([first]) => first ?? []);
  const shortened: string[] = [];
  const steps = all.slice(0, MOST_FAILURES).flatMap(({ failure, at }, i) => {
    const own = withChangeSteps(failure, at, stepsWhere(failure, at, catalogue, known.findings));
    if (silent.some((each) => each === failure)) return own.slice(0, 1);
    const shown = i < MOST_NODES ? own : own.slice(0, 1);
    if (shown.length < own.length) shortened.push(at.node.name);
    return changed.has(failure.node) ? shown.filter(({ access }) => access === 'read') : shown;
  });
  const concerned = new Set([...known.findings, ...known.unchecked].map(({ node }) => node));
  return [
    ...again,
    ...blamedSteps(known, byId, catalogue),
    ...steps,
    ...leftOff(shortened, (count) =>
      count === 1
        ? 'Only the first step is given for one failure; diagnose its node separately to get the others'
        : `Only the first step is given for ${count} failures; diagnose their nodes separately to get the others`,
    ),
    ...leftOff(
      all.slice(MOST_FAILURES).map(({ at }) => at.node.name),
      (count) =>
        count === 1
          ? 'One more failure has no steps here; diagnose its node separately to get them'
          : `${count} more failures have no steps here; diagnose their nodes separately to get them`,
    ),
    ...uncheckedSteps(known.unchecked, nameOf),
    ...unreadChangesSteps(known.unreadChanges ?? [], nameOf),
    ...proposals(reports, concerned),
  ];
}

/**
 * The proposals of agents: marked, without a command, and treated as changes, since nothing has
 * checked them. A step for an unknown node, or for one without a finding, is omitted.
 */
function proposals(reports: readonly AgentReport[], concerned: ReadonlySet<string>): NextStep[] {
  const proposed = inOrder(reports)
    .flatMap(({ nextSteps: steps = [] }) => steps)
    .filter(({ node }) => node === undefined || concerned.has(node))
    .filter(({ text }) => text.trim() !== '');
  const texts = new Map(proposed.map((step) => [step.text.trim(), step]));
  return [...texts].slice(0, MOST_PROPOSED).map(([text, { node }]) => ({
    text: clipAtWord(text, MOST_TEXT),
    ...(node !== undefined && { node }),
    access: 'change',
    origin: 'agent',
  }));
}
