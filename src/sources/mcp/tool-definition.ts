import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';

/**
 * Digest of a server's description of a tool: a tool whose name, description, schemas or
 * annotations change is another one, which the operator has not approved. Keys are sorted, so that
 * their order does not matter.
 * @returns `sha256:` and 64 hexadecimal digits
 */
export function definitionOf({
  name,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Pick<Tool, 'name' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'>): string {
  const text = JSON.stringify(
    sorted({ name, description, inputSchema, outputSchema, annotations }),
  );
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** A tool of an MCP server, as an operator approved it. */
export interface ApprovedTool {
  /** Id of the server in SOURCES_FILE. */
  source: string;
  tool: string;
  /** Digest, of {@link definitionOf}. */
  definition: string;
}

/**
 * Why a tool is not called; undefined if it is.
 * @param offered the digest of the server's present definition
 */
export function approvalFault(
  { source, tool, definition }: ApprovedTool,
  offered: string | undefined,
): string | undefined {
  if (offered === definition) return undefined;
  return offered === undefined
    ? `${source} has no tool ${tool}`
    : `${source} has changed the definition of ${tool}, which is not called until it is approved: if the new one is right, write ${offered} as definition into the file of TOOLS_DIR`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]);
}
