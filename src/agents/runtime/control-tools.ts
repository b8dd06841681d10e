import { z } from 'zod';
import { SYMPTOMS } from '../../domain/diagnosis/finding.js';
import type { Topology } from '../../domain/topology/topology.js';
import type { OfferedTool } from '../../domain/prompt/offered-tool.js';

const citation = z.union([z.string(), z.number()]);
const evidence = z
  .array(citation)
  .min(1)
  .describe('What it rests on: `evidence` of tool results, or sequence numbers from reports');

const finding = z.object({
  node: z.string().describe('Id of the node'),
  severity: z.enum(['critical', 'warning', 'info']),
  title: z.string().min(1).describe('One line, without the name of the node'),
  detail: z.string().default('').describe('What was measured, and what was expected'),
  evidence,
  symptom: z.enum(SYMPTOMS).optional(),
});

const rootCause = z.object({
  node: z.string().describe('Id of the node'),
  title: z.string().min(1),
  evidence,
});

const dismissal = z.object({
  tool_call_id: z.string().describe('`evidence` of the tool result'),
  reason: z.string().min(1).describe('Why it says nothing about the node'),
});

const proposal = z.object({
  text: z.string().min(1).describe('One sentence: what to look at or to change'),
  node: z.string().optional().describe('Id of the node that it is about'),
});

/** The conclusion of an agent. Only the agent at the top is offered `root_causes`. */
const reportArgs = z.object({
  status: z.enum(['ok', 'failed']).default('ok').describe('`failed`: the task could not be done'),
  summary: z.string().describe('A sentence or two for the person who asked'),
  findings: z.array(finding).default([]),
  root_causes: z.array(rootCause).default([]),
  dismissed: z
    .array(dismissal)
    .default([])
    .describe('Measured issues to disregard. They stay findings, with your reason'),
  next_steps: z.array(proposal).default([]).describe('What a person should do next'),
});

const teamArgs = z.object({
  team: z.string().describe('Name of the team'),
  task: z.string().min(1).describe('What it should find out'),
});
const workerArgs = z.object({
  worker: z.string().describe('Name of the worker'),
  task: z.string().min(1).describe('What it should find out'),
});

/**
 * Schemas of the control tools, by which an agent controls the run: their calls become events, not
 * tool calls.
 */
export const CONTROL_TOOLS = {
  report: reportArgs,
  dispatch_team: teamArgs,
  dispatch_worker: workerArgs,
} as const;
export type ControlTool = keyof typeof CONTROL_TOOLS;

export const isControlTool = (name: string): name is ControlTool =>
  Object.hasOwn(CONTROL_TOOLS, name);

const schemaOf = (schema: z.ZodType): { properties?: Record<string, object> } =>
  z.toJSONSchema(schema, { io: 'input' }) as { properties?: Record<string, object> };

const schemas: Record<ControlTool, { properties?: Record<string, object> }> = {
  report: schemaOf(reportArgs),
  dispatch_team: schemaOf(teamArgs),
  dispatch_worker: schemaOf(workerArgs),
};
const belowTop = schemaOf(reportArgs.omit({ root_causes: true }));

/** `report`, of the agent at the top or of one below it. */
export const reportTool = (at: 'top' | 'below'): OfferedTool => ({
  name: 'report',
  schema: at === 'top' ? schemas.report : belowTop,
});

/** `dispatch_team`, with the names of the teams. */
export const dispatchTeam = ({ teams }: Topology): OfferedTool =>
  dispatchTool('dispatch_team', 'team', namesOf(teams));

/** `dispatch_worker`, with the names of a team's workers. */
export const dispatchWorker = (workers: readonly { name: string }[]): OfferedTool =>
  dispatchTool('dispatch_worker', 'worker', namesOf(workers));

const namesOf = (named: readonly { name: string }[]): string[] => [
  ...new Set(named.map(({ name }) => name)),
];

function dispatchTool(
  name: 'dispatch_team' | 'dispatch_worker',
  key: string,
  names: readonly string[],
): OfferedTool {
  const schema = schemas[name];
  if (names.length === 0) return { name, schema };
  const properties = { ...schema.properties, [key]: { ...schema.properties?.[key], enum: names } };
  return { name, schema: { ...schema, properties } };
}

/** The agent of a dispatch, or what is wrong with its name. */
export type DispatchTarget = { agentId: string; name: string } | { fault: string };

/** The team that a supervisor names, or the names of all teams. */
export function findTeam(topology: Topology, name: string): DispatchTarget {
  const team = topology.teams.find((candidate) => candidate.name === name);
  if (team) return { agentId: team.supervisor.agentId, name };
  return {
    fault: `There is no team "${name}". Teams: ${topology.teams.map((candidate) => candidate.name).join(', ')}`,
  };
}

/** The worker that a team's supervisor names, or the names of its workers. */
export function findWorker(
  topology: Topology,
  teamName: string | null,
  name: string,
): DispatchTarget {
  const workers = topology.teams.find((team) => team.name === teamName)?.workers ?? [];
  const worker = workers.find((candidate) => candidate.name === name);
  if (worker) return { agentId: worker.agentId, name };
  return {
    fault: `There is no worker "${name}" in this team. Workers: ${workers.map((candidate) => candidate.name).join(', ')}`,
  };
}
