import { SourceError } from '../http/source-error.js';
import { allowed, quote } from '../../lib/text.js';
import type { Fault } from '../../domain/errors.js';
import type { TopologySource } from '../../domain/topology/topology.js';
import type { ListedServer } from './sources-file.js';

/** A source of a topology, or its name in an error. */
interface SourceLabel<Kind extends string> {
  id: string;
  kind: Kind;
}

/**
 * The server of SOURCES_FILE that a source of a topology names.
 * @throws SourceError `failed` if the file lists none of its kind and id
 */
export function findListed<Kind extends ListedServer['kind']>(
  { id, kind }: SourceLabel<Kind>,
  listed: readonly ListedServer[],
): Extract<ListedServer, { kind: Kind }> {
  const isIt = (each: ListedServer): each is Extract<ListedServer, { kind: Kind }> =>
    each.id === id && each.kind === kind;
  const found = listed.find(isIt);
  if (found) return found;
  throw new SourceError('failed', unlistedWords({ id, kind }, listed), { source: id });
}

/** Why a source of a topology matches no server of SOURCES_FILE, and which ones exist. */
function unlistedWords(
  { id, kind }: SourceLabel<string>,
  listed: readonly SourceLabel<string>[],
): string {
  const other = listed.find((each) => each.id === id);
  if (other) return `SOURCES_FILE lists ${quote(id)} as ${other.kind}, not as ${kind}`;
  const ids = listed.filter((each) => each.kind === kind).map((each) => each.id);
  const which = ids.length === 0 ? ', and no other one of this kind' : `: ${allowed(id, ids)}`;
  return `SOURCES_FILE lists no ${kind} source ${quote(id)}${which}`;
}

/**
 * The sources of a topology that SOURCES_FILE does not list, and that have no endpoint of their
 * own.
 */
export function unlistedSources(
  sources: readonly TopologySource[],
  listed: readonly SourceLabel<string>[],
): Fault[] {
  return sources.flatMap((source, index) => {
    const { id, kind } = source;
    const isReached = kind === 'recording' || ('endpoint' in source && source.endpoint);
    if (isReached || listed.some((each) => each.id === id && each.kind === kind)) return [];
    return [{ path: `sources[${index}].id`, message: unlistedWords({ id, kind }, listed) }];
  });
}
