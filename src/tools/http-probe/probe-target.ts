import type { TopologyNode } from '../../domain/topology/topology.js';
import { attributeError } from '../attributes.js';
import { urlOf } from '../net/endpoint.js';
import type { ToolContext } from '../tool.js';

/**
 * Returns the URL to request, and whether the caller selected more of it than the topology names.
 * @throws if the node does not allow the path
 */
export function targetOf(
  { node }: ToolContext,
  path: string | undefined,
): { url: URL; isChosen: boolean } {
  const base = urlOf(node, 'http:', 'https:');
  if (!base)
    throw new Error(
      `http_probe needs a node with an http:// or https:// endpoint; ${node.id} has none`,
    );
  if (path === undefined) return { url: base, isChosen: false };
  const allowed = pathsOf(node);
  const url = new URL(path, base);
  const asked = url.pathname + url.search;
  // Compared after the URL parser has read it, which removes dots and encoded dots from a path; a
  // server may decode slashes.
  const hidden = /%2f|%5c/i.test(url.pathname);
  const fits = (each: string) =>
    each.endsWith('*') ? !hidden && asked.startsWith(each.slice(0, -1)) : asked === each;
  if (url.origin !== base.origin || !allowed.some(fits))
    throw new Error(
      `path must be one that the attribute paths of node ${node.id} allows: ${allowed.slice(0, 20).join(', ') || 'none'}`,
    );
  [url.username, url.password] = [base.username, base.password];
  const isNamed = allowed.includes(asked) || asked === base.pathname + base.search;
  return { url, isChosen: !isNamed };
}

/**
 * Attribute `paths`: what a probe may request besides the endpoint's own path; a `*` at the end
 * matches any rest.
 */
function pathsOf(node: TopologyNode): string[] {
  const value = node.attributes['paths'] ?? [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((each) => {
    if (typeof each !== 'string' || !/^\/(?![/\\])/.test(each))
      throw attributeError(
        node,
        'paths',
        'a path or a list of paths, each with a slash at its start',
      );
    return each;
  });
}
