import type { RootCause } from '../../../../domain/diagnosis/finding.js';
import { isRootCause } from '../../../../domain/diagnosis/verdict.js';
import { uncheckedText, withName } from '../../../../domain/diagnosis/wording.js';
import { needsOf } from '../../../../domain/topology/needs-of.js';
import { list } from '../../plan.js';
import type { Shape } from '../facts.js';
import {
  causeText,
  fewOf,
  foundText,
  isExplained,
  isFault,
  nameOf,
  sentence,
  shortened,
  type DiagnosedRun,
} from './report.js';

type Node = Shape['nodes'][number];

/** The root causes that a node depends on, and the names of those that it does not depend on. */
interface Relation {
  needed: RootCause[];
  apart: string[];
}

/** Returns the findings about one node and its relation to the root causes. */
export function nodeText(diagnosed: DiagnosedRun, node: Node): string {
  const { needed, apart } = relationOf(diagnosed, node);
  return [
    ownText(diagnosed, node),
    ...(needed.length > 0 ? [`It depends on ${causesText(diagnosed, needed)}`] : []),
    ...(apart.length > 0 ? [`${node.name} does not depend on ${apartText(apart)}`] : []),
  ].join(' ');
}

/**
 * Returns the findings about several nodes, and once for all of them their relation to the root
 * causes.
 */
export function nodesLines(diagnosed: DiagnosedRun, nodes: readonly Node[]): string[] {
  const [only] = nodes;
  if (only && nodes.length === 1) return [nodeText(diagnosed, only)];
  const relations = nodes.map((node) => ({ node, ...relationOf(diagnosed, node) }));
  const together = new Map<string, string[]>();
  const add = (what: string, { name }: Node) =>
    together.set(what, [...(together.get(what) ?? []), name]);
  for (const { node, needed } of relations)
    if (needed.length > 0) add(`depend on ${causesText(diagnosed, needed)}`, node);
  for (const { node, apart } of relations)
    if (apart.length > 0) add(`not depend on ${apartText(apart)}`, node);
  return [
    ...nodes.map((node) => ownText(diagnosed, node)),
    ...[...together].map(([what, names]) => relationText(names, what)),
  ];
}

function relationText(names: readonly string[], what: string): string {
  const isOne = names.length === 1;
  if (what.startsWith('not ')) return `${list(names)} ${isOne ? 'does' : 'do'} ${what}`;
  return `${list(names)} ${isOne ? what.replace('depend', 'depends') : what}`;
}

const causesText = (diagnosed: DiagnosedRun, causes: readonly RootCause[]): string =>
  `the root ${causes.length === 1 ? 'cause' : 'causes'} ${list(
    causes.map((cause) => withName(nameOf(diagnosed, cause.node), causeText(diagnosed, cause))),
  )}.`;

const apartText = (names: readonly string[]): string =>
  `the root cause${names.length === 1 ? '' : 's'} ${list(fewOf(names))}.`;

function relationOf({ run, shape }: DiagnosedRun, { id }: Node): Relation {
  const causes = run.report?.root_causes ?? [];
  if (causes.some(({ node }) => node === id)) return { needed: [], apart: [] };
  const needs = shape ? needsOf(shape.nodes, id) : [];
  const isNeeded = ({ node }: RootCause) => needs.includes(node);
  const apart = causes.filter((cause) => !isNeeded(cause));
  return {
    needed: causes.filter(isNeeded),
    apart: [...new Set(apart.map(({ node }) => nameOf({ shape }, node)))],
  };
}

/** Returns the unhealthy nodes that root causes affect. */
export function hurtBy(diagnosed: DiagnosedRun, causes: readonly RootCause[]): Node[] {
  const findings = diagnosed.run.report?.findings ?? [];
  return (diagnosed.shape?.nodes ?? []).filter(
    ({ id }) =>
      isExplained(diagnosed, id, causes) &&
      findings.some((each) => each.node === id && isFault(each)),
  );
}

function ownText(diagnosed: DiagnosedRun, { id, name }: Node): string {
  const { run } = diagnosed;
  const { root_causes: causes = [], findings = [], unchecked = [] } = run.report ?? {};
  const own = causes.filter(({ node }) => node === id);
  const [first] = own;
  if (first) {
    const hurt = hurtBy(diagnosed, own);
    const affected =
      hurt.length > 0
        ? ` ${list(hurt.map((node) => node.name))} ${hurt.length === 1 ? 'is' : 'are'} affected by ${name}.`
        : '';
    return `${name} ${isRootCause(first, unchecked)}: ${own.map((cause) => causeText(diagnosed, cause)).join('; ')}.${affected}`;
  }
  const found = findings.filter(({ node }) => node === id);
  const blind = unchecked.find(({ node }) => node === id);
  const said = [
    ...(found.length > 0 ? [`${withName(name, found.map(foundText).join('; '))}.`] : []),
    ...(blind ? [`${name} was not checked: ${sentence(uncheckedText(blind))}`] : []),
  ];
  if (said.length > 0) return said.join(' ');
  if (run.report === null) return `Nothing is known of ${name} yet.`;
  const isReachedOnly = run.report.nodes?.some((each) => each.node === id && each.reached_only);
  const reach = isReachedOnly ? ' It was only measured that it answers, not that it works.' : '';
  return `Nothing was found to be wrong with ${name}.${reach}`;
}

/** What findings about nodes say in detail, such as the answer of a node. */
export function detailLines({ run }: DiagnosedRun, nodes: readonly Node[]): string[] {
  const own = (run.report?.findings ?? []).filter(({ node }) =>
    nodes.some(({ id }) => id === node),
  );
  return [...new Set(own.map(({ detail }) => detail))].filter((detail) => detail !== '');
}

/** Lists what was measured at nodes of a question. */
export function measuredLines(diagnosed: DiagnosedRun, nodes: readonly Node[]): string[] {
  const lines = (diagnosed.run.measurements ?? [])
    .filter(({ node }) => nodes.some(({ id }) => id === node))
    .map(({ sequence, node, tool, summary }) => {
      const name = nameOf(diagnosed, node);
      return `- ${sequence}: ${withName(name, `${tool}: ${summary}`)}`;
    });
  return lines.length === 0 ? [] : ['Measured then:', ...shortened(lines)];
}
