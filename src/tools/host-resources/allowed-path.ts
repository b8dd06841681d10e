import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { textAttribute } from '../attributes.js';
import type { ProbePolicy } from '../probe-policy.js';

/**
 * The attribute `path` of a node: a mount point of this machine, or a folder that the operator
 * allows. Other paths are refused without a check whether they exist, because a topology must not
 * learn that.
 * @throws if it is not allowed
 */
export async function allowedPath(node: TopologyNode, { paths }: ProbePolicy): Promise<string> {
  const path = posix.normalize(textAttribute(node, 'path') ?? '/').replace(/(?<=.)\/$/, '');
  if (paths.includes(path) || (await mountPoints()).has(path)) return path;
  throw new Error(
    `attribute path of node ${node.id} must be a mount point of this machine, or a folder that PROBE_PATHS lists`,
  );
}

/** The mount points of this process, by mount(5); none if there is no /proc. */
async function mountPoints(): Promise<ReadonlySet<string>> {
  const text = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  return new Set(text.split('\n').map((line) => unescape(line.split(' ', 2)[1] ?? '')));
}

/** Space, tab, newline and backslash are written as octal numbers there. */
const unescape = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
