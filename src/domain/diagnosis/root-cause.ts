import { joinSentences } from '../../lib/text.js';
import { DependencyGraph, type DependencyNode } from './dependency-graph.js';
import { doubtsIn, inBounds, lessSure, MOST_DOUBTS, type Doubt, type Doubts } from './doubts.js';
import {
  byTelling,
  isFailure,
  nextStepsIn,
  symptomOf,
  type Finding,
  type RootCause,
} from './finding.js';
import {
  explains,
  joinSummaries,
  NOTHING_UNHEALTHY,
  summarizeUnhealthy,
  type UnhealthySummary,
} from './unhealthy-summary.js';
import { some, withName } from './wording.js';

export interface CauseAnalysis {
  /** With confidence, chain, kind and what is not excluded; most certain first. */
  rootCauses: RootCause[];
  /** The given findings; those that a root cause explains have a note. */
  findings: Finding[];
  /** Ids of the nodes that are unhealthy only because of a root cause. */
  downstream: string[];
}

const MOST_COUNTED = 3;
/** Root causes with a chain, and findings of a node that are traced to root causes. */
const MOST_CHAINS = 20;
const MOST_TRACED = 10;
/** Nodes that one root cause names as explained. */
const MOST_EXPLAINED = 50;

/** The faults of one node. */
interface NodeFindings {
  all: Finding[];
  /** Findings that something below the node explains. */
  explained: Finding[];
  /** The others: they make it a root cause. */
  unexplained: Finding[];
  /** The root causes that `explained` is traced to, nearest first. */
  causes: number[];
}

/**
 * Concludes by rule. A node is unhealthy when it has a finding that is more than advisory. A root
 * cause is an unhealthy node with a finding that nothing it depends on explains; a node whose
 * findings are all explained is downstream. An alert that fires makes no root cause and explains
 * nothing: it may be explained itself.
 *
 * The confidence (0..1) rests on rules of thumb: a critical measurement weighs more than a warning,
 * nodes whose faults it explains support it, and dependencies that are not excluded speak
 * against it. Of several findings of a node the one with the highest confidence counts, so that a
 * measurement that clears one of them cannot raise it.
 *
 * The work is linear in nodes, dependencies and findings, with a small factor for each root cause.
 */
export function findRootCauses(
  topology: readonly DependencyNode[],
  findings: readonly Finding[],
  doubts: Doubts = {},
): CauseAnalysis {
  const unhealthy = findings.filter(isFailure);
  const graph = new DependencyGraph(
    topology,
    unhealthy.map(({ node }) => node),
  );
  const failures = failuresIn(graph, unhealthy);
  const roots = [...failures].filter(([, { unexplained }]) => unexplained.some(isMeasured));
  const victims = trace(graph, failures);

  const doubtsOf = doubtsIn(graph, doubts);
  const idOf = (number: number) => graph.nodes[number]?.id ?? '';

  const rootCauses = roots
    .map(([number, { unexplained }]) => {
      const context = { victims: victims.get(number)?.length ?? 0, notExcluded: doubtsOf(number) };
      return { number, cause: causeOf(graph, number, unexplained.filter(isMeasured), context) };
    })
    .toSorted(
      (a, b) => b.cause.confidence - a.cause.confidence || (a.cause.node < b.cause.node ? -1 : 1),
    )
    .map(({ number, cause }, rank): RootCause => {
      const suffering = rank < MOST_CHAINS ? (victims.get(number) ?? []) : [];
      return {
        ...cause,
        ...(suffering.length > 0 && { explains: suffering.slice(0, MOST_EXPLAINED).map(idOf) }),
        chain: graph.longestWay(number, suffering).map(idOf),
      };
    });

  return {
    rootCauses,
    findings: findings.map(noteCauses(graph, failures)),
    downstream: [...new Set(unhealthy.map(({ node }) => node))].filter(
      (id) => failures.get(graph.numberOf(id))?.unexplained.length === 0,
    ),
  };
}

/** Whether more is known than that an alert fires. */
const isMeasured = ({ alert }: Finding): boolean => alert !== true;

/** The findings of each unhealthy node, and which of them something below the node explains. */
function failuresIn(
  graph: DependencyGraph,
  unhealthy: readonly Finding[],
): Map<number, NodeFindings> {
  const failures = new Map<number, NodeFindings>();
  for (const finding of unhealthy) {
    const number = graph.numberOf(finding.node);
    const known = failures.get(number);
    if (known) known.all.push(finding);
    else failures.set(number, { all: [finding], explained: [], unexplained: [], causes: [] });
  }
  /** The symptoms of a node and of all nodes below it. */
  const shown: UnhealthySummary[] = [];
  graph.nodes.forEach(({ kind }, number) => {
    const below = joinSummaries(
      (graph.dependencies[number] ?? []).map((each) => shown[each] ?? NOTHING_UNHEALTHY),
    );
    const own = failures.get(number);
    for (const finding of own?.all ?? [])
      (explains(below, finding) ? own?.explained : own?.unexplained)?.push(finding);
    shown.push(
      own ? joinSummaries([below, summarizeUnhealthy(own.all.filter(isMeasured), kind)]) : below,
    );
  });
  return failures;
}

/**
 * Traces explained findings to root causes: those that explain them directly, otherwise all below,
 * by way of other nodes. Fills in `causes`.
 * @returns the nodes that each root cause affects, in the order of the graph
 */
function trace(
  graph: DependencyGraph,
  failures: ReadonlyMap<number, NodeFindings>,
): Map<number, number[]> {
  const signs = new Map(
    [...failures].flatMap(([number, { unexplained }]) =>
      unexplained.some(isMeasured)
        ? [
            [
              number,
              summarizeUnhealthy(unexplained.filter(isMeasured), graph.nodes[number]?.kind),
            ] as const,
          ]
        : [],
    ),
  );
  const rootsBelow = graph.below((number) => signs.has(number));
  const victims = new Map<number, number[]>();
  for (const [number, own] of [...failures].toSorted(([a], [b]) => a - b)) {
    if (own.explained.length === 0) continue;
    const traced = own.explained.slice(0, MOST_TRACED);
    const below = rootsBelow(number);
    const direct = below.filter((root) =>
      traced.some((finding) => explains(signs.get(root) ?? NOTHING_UNHEALTHY, finding)),
    );
    own.causes = direct.length > 0 ? direct : below;
    for (const root of own.causes) {
      const known = victims.get(root);
      if (known) known.push(number);
      else victims.set(root, [number]);
    }
  }
  return victims;
}

/**
 * Names what an explained finding is downstream of. Retries, an open circuit breaker or a second
 * fault may multiply failures: measurements do not distinguish these.
 */
function noteCauses(
  graph: DependencyGraph,
  failures: ReadonlyMap<number, NodeFindings>,
): (finding: Finding) => Finding {
  const notes = new Map<Finding, string>();
  for (const { explained, causes } of failures.values()) {
    const names = some(causes.map((number) => graph.nodes[number]?.name ?? ''));
    const rare = causes.every((number) =>
      failures.get(number)?.unexplained.every((finding) => finding.intermittent),
    );
    for (const finding of explained) {
      const note = `Downstream of ${names}, which it depends on.`;
      const isMore = rare && finding.severity === 'critical' && !finding.intermittent;
      notes.set(finding, isMore ? joinSentences(note, MORE_THAN_CAUSE) : note);
    }
  }
  return (finding) => {
    const note = notes.get(finding);
    return note === undefined || finding.detail.includes(note)
      ? finding
      : { ...finding, detail: joinSentences(finding.detail, note) };
  };
}

const MORE_THAN_CAUSE =
  'It fails in every try, and what it depends on only now and then: it may have a fault of its own, too.';

/** The known facts about the nodes around a root cause. */
interface CauseContext {
  /** How many nodes are affected by it. */
  victims: number;
  /** Nodes below it that may also be the cause. */
  notExcluded: readonly Doubt[];
}

function causeOf(
  graph: DependencyGraph,
  number: number,
  own: readonly Finding[],
  context: CauseContext,
): Omit<RootCause, 'chain'> {
  const node = graph.nodes[number] as DependencyNode;
  const judged = own
    .map((finding) => judge(finding, context))
    .toSorted(
      (a, b) => b.confidence - a.confidence || byTelling(a.finding, b.finding),
    )[0] as RatedFinding;
  const { finding, confidence, basis } = judged;
  const open = context.notExcluded.slice(0, MOST_DOUBTS);
  return {
    node: node.id,
    kind: finding.kind ?? 'unknown',
    ...nextStepsIn(finding),
    symptom: symptomOf(finding),
    title: withName(node.name, finding.title),
    confidence,
    evidence: [...new Set(own.flatMap(({ evidence }) => evidence))].toSorted((a, b) => a - b),
    ...(open.length > 0 && { not_excluded: open }),
    basis: [...basis, ...kindBasis(finding)],
  };
}

/**
 * Text of the node refines the description of its failure, but adds no failure that was not
 * measured.
 */
const kindBasis = ({ kind, stated }: Finding): string[] =>
  stated ? [`only the answer of the node says that the kind of failure is ${kind}`] : [];

interface RatedFinding {
  finding: Finding;
  confidence: number;
  basis: string[];
}

function judge(finding: Finding, { victims, notExcluded }: CauseContext): RatedFinding {
  const { less, basis: doubts } = lessSure(notExcluded);
  const [base, measured] =
    finding.severity === 'critical'
      ? [0.85, 'a critical issue was measured at the node itself']
      : [0.7, 'only a warning was measured at the node'];
  const confidence = inBounds(base + Math.min(victims, MOST_COUNTED) * 0.04 - less);
  const basis = [
    measured,
    ...(victims > 0
      ? [`${victims} ${victims === 1 ? 'dependent node is' : 'dependent nodes are'} also unhealthy`]
      : []),
    ...doubts,
  ];
  return { finding, confidence, basis };
}
