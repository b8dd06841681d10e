import { hostPortOf } from '../net/endpoint.js';
import type { ToolContext } from '../tool.js';

/** Arguments of a call of an own tool. */
export type Args = { node: string } & Readonly<Record<string, unknown>>;

/**
 * Puts values in their places, each as one piece of text.
 * @throws where a value is missing, or would begin an argument with a dash: a program could take it
 *   for an option
 */
export function fill(
  template: string,
  args: Readonly<Record<string, unknown>>,
  { node }: Pick<ToolContext, 'node'>,
  escape: (text: string) => string = String,
): string {
  const target = hostPortOf(node);
  const known: Record<string, unknown> = { ...args, host: target?.host, port: target?.port };
  const filled = template.replace(/\{([\w.]+)\}/g, (_, name: string) => {
    const value = known[name];
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw new Error(
        `it needs ${name}, which ${node.id} does not have and the call does not give`,
      );
    return escape(String(value));
  });
  if (filled.startsWith('-') && !template.startsWith('-'))
    throw new Error('a value must not begin with a dash');
  return filled;
}
