import type { ToolAnswer } from '../../plan.js';
import type { OracleBrief } from '../answer-input.js';
import { errorOf } from '../measured/measured-node.js';

export const START = 'start_diagnosis';

/** Says why a call failed. The text of a refusal is an instruction for a model, and not shown. */
export function failureText(failed: ToolAnswer): string {
  const { code } = (failed.output ?? {}) as { code?: unknown };
  if (code !== 'REFUSED') return `I could not find that out: ${errorOf(failed)}`;
  const id = failed.args['topology_id'];
  return failed.tool === START && typeof id === 'number'
    ? `I start a diagnosis only if you ask for it: write "diagnose topology ${id}".`
    : 'I may not do that for you.';
}

/**
 * Says why a tool is not there: the role of the person, or the sources that the question leaves.
 */
export function refusalOf(tool: string, { needsRole = {} }: OracleBrief): string {
  const role = needsRole[tool];
  const deed = tool === START ? 'start a diagnosis' : 'look that up';
  if (role === undefined)
    return `I may not ${deed}: ${sourceOf(tool)} is not among the sources of this question.`;
  const what = tool === START ? 'start a diagnosis for you' : `use ${tool} for you`;
  return `I may not ${what}: your credential would need the role ${role}. Ask an administrator for it, or someone who has it to do that.`;
}

/** The tools of each source of a question; all others are `tools`. */
const SOURCES: Readonly<Record<string, string>> = {
  list_topologies: 'topologies',
  get_topology: 'topologies',
  list_runs: 'runs',
  get_run: 'runs',
  read_log: 'logs',
};

const sourceOf = (tool: string): string => SOURCES[tool] ?? 'tools';
