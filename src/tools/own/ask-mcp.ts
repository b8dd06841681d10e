import pLimit from 'p-limit';
import type { Egress } from '../../sources/http/source-server.js';
import { callMcp, type McpCall } from '../../sources/mcp/call-mcp.js';
import type { ListedMcp, ListedServer } from '../../sources/live/sources-file.js';
import type { ToolContext } from '../tool.js';
import { type Args, fill } from './fill.js';
import type { OwnOutput } from './own-output.js';
import type { OwnToolFile } from './own-tool-file.js';

type McpPart = NonNullable<OwnToolFile['mcp']>;

/** The MCP servers of SOURCES_FILE. A process holds one connection to each at most. */
export class McpServers {
  private readonly servers: ReadonlyMap<
    string,
    { listed: ListedMcp; turn: ReturnType<typeof pLimit> }
  >;

  constructor(
    listed: readonly ListedServer[],
    private readonly secretOf: (name: string) => string | undefined,
  ) {
    this.servers = new Map(
      listed.flatMap((each) =>
        each.kind === 'mcp' ? [[each.id, { listed: each, turn: pLimit(1) }]] : [],
      ),
    );
  }

  get ids(): string[] {
    return [...this.servers.keys()];
  }

  /** Waits for the turn and calls. @throws SourceError; the signal's reason */
  async call(
    source: string,
    call: McpCall,
    { egress, signal, timeoutMs }: { egress: Egress; signal: AbortSignal; timeoutMs: number },
  ): Promise<string> {
    const server = this.servers.get(source);
    if (server === undefined) throw new Error(`SOURCES_FILE lists no MCP server ${source}`);
    const reach = { egress, secretOf: this.secretOf };
    return server.turn(() => callMcp(server.listed, call, reach, { signal, timeoutMs }));
  }
}

/** Whether it looks at what a node selects of the server. */
export const needsSelector = (mcp: McpPart | undefined): boolean =>
  Object.values(mcp?.arguments ?? {}).some(
    (value) => typeof value === 'string' && value.includes('{selector}'),
  );

/**
 * Calls the tool of the server with the arguments of the file, in which those of the call stand.
 */
export async function askMcp(
  { source, tool, definition, arguments: given }: McpPart,
  { args, file, servers }: { args: Args; file: OwnToolFile; servers: McpServers },
  context: ToolContext,
): Promise<OwnOutput> {
  const known = { ...args, selector: context.node.in?.[source] };
  const filled = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value !== 'string') return [[name, value]];
    const [, alone = ''] = /^\{([\w.]+)\}$/.exec(value) ?? [];
    if (!Object.hasOwn(file.parameters, alone)) return [[name, fill(value, known, context)]];
    // A parameter that stands alone keeps its type, and is left out if the call does not give it.
    return args[alone] === undefined ? [] : [[name, args[alone]]];
  });
  const call = { tool, definition, arguments: Object.fromEntries(filled) };
  const { policy, signal } = context;
  const egress: Egress = {
    resolve: (target) => policy.egress.resolve(target),
    enter: ({ host, port }) => context.enter(host, port),
  };
  const timeoutMs = file.timeoutSeconds * 1_000;
  return { text: await servers.call(source, call, { egress, signal, timeoutMs }) };
}
