import type { ContentBlock } from '@modelcontextprotocol/client';
import { SourceError } from '../http/source-error.js';
import type { SourceReach } from '../live/source-reach.js';
import type { ListedMcp } from '../live/sources-file.js';
import { definitionOf } from './tool-definition.js';

export interface McpCall {
  tool: string;
  /** Digest that an operator has approved, of {@link definitionOf}. */
  definition: string;
  arguments: Record<string, unknown>;
}

/**
 * Calls a tool of an MCP server, if its definition is the approved one.
 * @returns its structured result as JSON, else its texts
 * @throws SourceError `failed` where the server has no such tool, has changed it, or the tool failed; the signal's reason
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
    if (offered === undefined) throw new SourceError('failed', `${listed.id} has no tool ${tool}`);
    const found = definitionOf(offered);
    if (found !== definition)
      throw new SourceError(
        'failed',
        `${listed.id} has changed the definition of ${tool}, which is not called until it is approved: if the new one is right, write ${found} as definition into the file of TOOLS_DIR`,
      );
    const { isError, structuredContent, content } = await session.call(tool, args);
    const text = content.map(textOf).join('\n');
    if (isError === true) throw new SourceError('failed', `${tool} failed: ${text.slice(0, 500)}`);
    return structuredContent === undefined ? text : JSON.stringify(structuredContent);
  });
}

const textOf = (block: ContentBlock): string =>
  block.type === 'text' ? block.text : `(${block.type})`;
