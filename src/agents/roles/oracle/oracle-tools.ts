import { z } from 'zod';
import type { ChatSpec, SourceKind } from '../../../domain/chat/chat.js';
import { leastRoleFor, mayDo, type AccessAction, type Role } from '../../../domain/roles.js';
import { RUN_STATUSES } from '../../../domain/run-status.js';
import type { OfferedTool } from '../../../domain/prompt/offered-tool.js';

const topologyId = z.int().min(1).describe('Id of a topology');
const runId = z.string().describe('Id of a diagnosis');
/** Converts to ms since 1970. */
const time = (description: string) =>
  z.iso
    .datetime({
      offset: true,
      error: 'must be a time as in ISO 8601, such as 2026-11-22T18:00:00Z',
    })
    .transform((text) => Date.parse(text))
    .optional()
    .describe(description);
const after = z.int().min(0).default(0);

/**
 * The oracle's own tools: arguments, what they belong to in the caller's `sources`, and what the
 * caller's role must allow.
 */
export const ORACLE_TOOLS = {
  list_topologies: {
    kind: 'topologies',
    action: 'topologies:read',
    args: z.object({
      naming: z
        .string()
        .max(500)
        .optional()
        .describe('Only those that this text names, or that have a node that it names'),
      others: z
        .boolean()
        .optional()
        .describe('With `naming`: the others as well, which have no `named`'),
      similar: z
        .string()
        .max(60)
        .optional()
        .describe('Only those whose name, or the name of a node, is like this misspelt one'),
    }),
  },
  get_topology: {
    kind: 'topologies',
    action: 'topologies:read',
    args: z.object({ topology_id: topologyId }),
  },
  list_runs: {
    kind: 'runs',
    action: 'runs:read',
    args: z.object({
      topology_id: topologyId.optional(),
      status: z.enum(RUN_STATUSES).optional(),
      since: time('Only those that began at or after this time'),
      until: time('Only those that began at or before this time'),
      oldest_first: z.boolean().optional().describe('Begins with the oldest, not with the newest'),
      limit: z.int().min(1).max(20).default(5),
      id_prefix: z
        .string()
        .min(8)
        .max(36)
        .optional()
        .describe('Only those whose id begins with this; none is cited then'),
      suspects: z
        .boolean()
        .optional()
        .describe('Adds the name of the first root cause to each; the runs are then not cited'),
      count: z
        .boolean()
        .optional()
        .describe('Returns only how many there are, up to 5,000, whatever the limit is'),
    }),
  },
  get_run: {
    kind: 'runs',
    action: 'runs:read',
    args: z.object({
      run_id: runId,
      about: z
        .string()
        .max(500)
        .optional()
        .describe('A question or names of nodes: adds the measurements of the nodes that it names'),
    }),
  },
  read_log: {
    kind: 'logs',
    action: 'runs:read',
    args: z.object({
      run_id: runId,
      after,
      text: z.string().min(1).optional(),
      limit: z.int().min(1).max(20).default(10),
    }),
  },
  start_diagnosis: {
    kind: 'tools',
    action: 'runs:start',
    args: z.object({
      topology_id: topologyId,
      problem: z.string().min(1).max(10_000).describe('What seems to be wrong'),
    }),
  },
  follow_diagnosis: {
    kind: 'tools',
    action: 'runs:read',
    args: z.object({
      run_id: runId,
      after: after.describe('`last_sequence` of the result before'),
    }),
  },
  navigate_to_page: {
    kind: undefined,
    action: 'self',
    args: z.object({
      page: z
        .string()
        .regex(/^[a-z][a-z0-9/_-]{0,99}(?:\?at=[1-9]\d{0,8})?(?:#[1-9]\d{0,8})?$/)
        .describe(
          '`topologies`, `runs`, `runs/RUN_ID`, `settings`, …; `runs/RUN_ID#N` opens its event N, `runs/RUN_ID?at=N` shows the run as it was at event N',
        ),
    }),
  },
} as const satisfies Record<
  string,
  { kind: SourceKind | undefined; action: AccessAction; args: z.ZodType }
>;

export type OracleTool = keyof typeof ORACLE_TOOLS;
export const isOracleTool = (name: string): name is OracleTool => Object.hasOwn(ORACLE_TOOLS, name);

/** Omits the pattern of times: it is long, and `format` tells a model the same. */
function override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}

const offered = Object.entries(ORACLE_TOOLS).map(([name, { kind, action, args }]) => ({
  kind,
  action,
  tool: { name, schema: z.toJSONSchema(args, { io: 'input', override }) } satisfies OfferedTool,
}));

/** Whether the principal of a chat may use a tool. */
export const mayAskFor = (
  action: AccessAction,
  chat: Pick<ChatSpec, 'role'> | undefined,
): boolean => chat?.role === undefined || mayDo(chat.role, action);

/** The tools that a caller's role does not allow, each with the lowest role that does. */
export const refusedTo = (chat: Pick<ChatSpec, 'role'> | undefined): Record<string, Role> =>
  Object.fromEntries(
    offered
      .filter(({ action }) => !mayAskFor(action, chat))
      .map(({ tool, action }) => [tool.name, leastRoleFor(action)]),
  );

/** The tools that a caller's `sources` and role allow, as they are offered to a model. */
export const offeredTo = (chat: Pick<ChatSpec, 'sources' | 'role'> | undefined): OfferedTool[] =>
  offered.flatMap(({ kind, action, tool }) =>
    mayAskFor(action, chat) && (!chat?.sources || kind === undefined || chat.sources.includes(kind))
      ? [tool]
      : [],
  );
