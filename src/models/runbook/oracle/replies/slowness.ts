import { list } from '../../plan.js';
import type { Shape } from '../facts.js';
import type { Question } from '../question.js';
import { nameOf, type Diagnosed } from './report.js';

const SLOW = /\b(?:slow\w*|laggy|latency|sluggish|response times?|takes? (?:so|too) long)\b/;
/** The symptoms of a node that answers late. */
const LATE = new Set(['slow', 'saturated']);

/**
 * Answers a question about slowness if none was measured at the nodes that it names, or at all. Empty if some was, or if one of the
 * nodes was not checked.
 */
export function notSlowLines(
  { asks }: Question,
  diagnosed: Diagnosed,
  nodes: Shape['nodes'],
): string[] {
  const { report } = diagnosed.run;
  if (report === null || !SLOW.test(asks)) return [];
  const isMeant = ({ node }: { node: string }) =>
    nodes.length === 0 || nodes.some(({ id }) => id === node);
  const found = [...report.root_causes, ...report.findings];
  if (found.some((each) => isMeant(each) && LATE.has(each.symptom ?? ''))) return [];
  if (report.unchecked.some(isMeant)) return [];
  const names = nodes.map(({ id }) => nameOf(diagnosed, id));
  return names.length === 0
    ? ['Nothing was measured to be slow.']
    : [`${list(names)} ${names.length === 1 ? 'was' : 'were'} not measured to be slow.`];
}
