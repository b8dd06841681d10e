import { z } from 'zod';
import { issueKind } from '../../domain/diagnosis/issue-kind.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { describeObjects } from '../../engine/kubernetes/objects.js';
import { tellingLines } from '../../engine/kubernetes/telling-lines.js';
import { responsibleObject } from '../../domain/kubernetes/object-text.js';
import { keyOfObject } from '../../domain/kubernetes/workload.js';
import { analyzeKubernetes } from '../../domain/kubernetes/analyze.js';
import type { KubernetesFinding } from '../../domain/kubernetes/cluster.js';
import { SourceError } from '../../sources/http/source-error.js';
import type { KubernetesLists } from '../../sources/ports.js';
import { providesOf } from '../../domain/topology/recorded.js';
import { nodeArgument } from '../arguments.js';
import { clean } from '../net/endpoint.js';
import { toolResult, worstIssues } from '../result.js';
import { sourcesOf } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';
import { readObjects } from './read-objects.js';
import { workloadText, type NodeObjects } from './node-objects.js';

const MOST_LINES = 10;
/** More than for another node: a node may represent all objects of a cluster. */
const MOST_ISSUES = 40;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * Checks Kubernetes objects by rules. A node selects its workload from a live source in `in`; in a
 * recording by the attribute `kubernetes`: a workload (`deployment/orders`) or a name that objects
 * begin with, by default the id of the node. A node of kind `kubernetes` represents all objects.
 */
export const kubernetesCheck: Tool<Args> = {
  name: 'kubernetes_check',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  holds: 48 * 2 ** 20,
  args,
  appliesTo: (node, sources) => providesOf(node, sources, 'kubernetes'),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node } = context;
  const { frame } = sourcesOf(context);
  const { all, lists, subject, own, keys, events, isPart } = await readObjects(context);
  const hidden = hiddenOf(subject, lists);
  // Without any object of it, nothing is known; otherwise the objects that were read are judged.
  if (own.size === 0 && hidden !== undefined) throw new SourceError('refused', hidden);
  const missing = missingOf(subject, lists);
  if (own.size === 0 && missing === undefined)
    return toolResult(
      `no Kubernetes objects of ${subject.text} were read`,
      { recorded: false },
      [],
    );
  const found =
    own.size === 0 && missing
      ? [missing]
      : analyzeKubernetes(all, frame.now, lists.kinds).filter((each) =>
          keys.has(keyOfObject(each)),
        );
  const byKey = new Map(all.map((each) => [keyOfObject(each), each]));
  const { shown } = worstIssues(
    found.map((each) => ({
      ...issueOf(each, context),
      object: responsibleObject(each, byKey),
    })),
    MOST_ISSUES,
  );
  const issues = [...shown, ...refusedIssue(lists)];
  const summary = found[0]
    ? `${issues[0]?.title}${found.length > 1 ? ` and ${found.length - 1} more` : ''}`
    : `${own.size} Kubernetes objects, nothing wrong by the rules`;
  const workload = workloadText(subject, own, lists.namespaces);
  const measurements = {
    recorded: true,
    ...(workload !== undefined && { workload }),
    objects: own.size,
    findings: found.length,
    lines: tellingLines(describeObjects([...own, ...events]), '', MOST_LINES).map(({ text }) =>
      clean(text, node, 300),
    ),
    ...(lists.refused.length > 0 && { refused: [...lists.refused] }),
    ...(isPart && { incomplete: true }),
  };
  const result = toolResult(summary, measurements, issues);
  return {
    ...result,
    ...(isPart && { partial: true }),
    ...(hidden !== undefined && { hidden: `${hidden[0]?.toUpperCase()}${hidden.slice(1)}.` }),
  };
}

/** The objects without which a workload cannot be judged, and which may not be listed. */
function hiddenOf(
  { workload, text }: NodeObjects,
  { refused }: KubernetesLists,
): string | undefined {
  const needed = ['Pod', ...(workload?.kind === undefined ? [] : [workload.kind])];
  const hidden = needed.filter((kind) => refused.includes(kind));
  return hidden.length === 0
    ? undefined
    : `the credential may not list ${hidden.join(', ')} of ${text}`;
}

/** The issue that no object of a workload was read. */
function missingOf(
  { workload }: NodeObjects,
  { kinds }: KubernetesLists,
): KubernetesFinding | undefined {
  if (workload?.kind === undefined || !kinds?.has(workload.kind)) return undefined;
  const { kind, name, namespace = '' } = workload;
  return {
    kind,
    name,
    namespace,
    severity: 'critical',
    symptom: 'invalid',
    steps: 'no-workload',
    title: 'does not exist',
    detail: '',
  };
}

function refusedIssue({ refused }: KubernetesLists): Issue[] {
  if (refused.length === 0) return [];
  const title = `the credential may not list ${refused.join(', ')}`;
  const detail = 'What is wrong with these objects, and which of them are missing, is not known.';
  return [{ severity: 'info', symptom: 'advisory', title, detail }];
}

function issueOf(
  { kind, name, severity, symptom, title, detail, failureKind, steps }: KubernetesFinding,
  { node }: ToolContext,
): Issue {
  return {
    severity,
    symptom,
    // Without the name of the object; text of a program is a quotation: neither determines a kind.
    kind: failureKind ?? issueKind({ symptom, title, detail: `It said: "${detail}".` }),
    ...(steps !== undefined && { steps }),
    title: clean(`${kind} ${name} ${title}`, node, 200),
    detail:
      clean(detail, node, 400) || `${kind} ${clean(name, node, 100)}: ${clean(title, node, 200)}.`,
  };
}
