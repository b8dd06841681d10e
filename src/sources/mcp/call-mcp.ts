import type { ContentBlock } from '@modelcontextprotocol/client';
import { SourceError } from '../http/source-error.js';
import type { SourceReach } from '../live/source-reach.js';
import type { ListedMcp } from '../live/sources-file.js';
import { approvalFault, definitionOf } from './tool-definition.js';

export interface McpCall {
  tool: string;
  /** Digest that an operator has approved, of {@link definitionOf}. */
  definition: string;
  arguments: Record<string, unknown>;
}

/**
 * Calls a tool of an MCP server, if its definition is the approved one.
 * @returns its structured result as JSON, otherwise its texts
 * @throws SourceError `failed` if the server has no such tool, has changed it, or the tool failed;
 *   the signal's reason
 */
export async function callMcp(
  listed: ListedMcp,
  { tool, definition, arguments: args }: McpCall,
  reach: SourceReach,
  limits: { signal: AbortSignal; timeoutMs: number },
): Promise<string> {
  // Loaded with the first call: the SDK takes 0.2 s and 27 MB.
  const { withMcp } = await import('./mcp-session.js');
  return withMcp(listed, reach, limits, async (session) => {
    const offered = (await session.tools()).find(({ name }) => name === tool);
    const approved = { source: listed.id, tool, definition };
    const fault = approvalFault(approved, offered && definitionOf(offered));
    if (fault !== undefined) throw new SourceError('failed', fault);
    const { isError, structuredContent, content } = await session.call(tool, args);
    const text = content.map(textOf).join('\n');
    if (isError === true) throw new SourceError('failed', `${tool} failed: ${text.slice(0, 500)}`);
    return structuredContent === undefined ? text : JSON.stringify(structuredContent);
  });
}

const textOf = (block: ContentBlock): string =>
  block.type === 'text' ? block.text : `(${block.type})`;
