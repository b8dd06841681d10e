import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';

/**
 * Digest of what a server says about a tool: a tool whose name, description, schemas or annotations change is another one, which an
 * operator has not seen. Keys are sorted, so that their order does not count.
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

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]);
}
