import { SourceError } from '../http/source-error.js';
import {
  committed,
  describeGroups,
  type KafkaGroupState,
  type KafkaPosition,
  listGroups,
} from './kafka-calls.js';
import type { KafkaConnection } from './kafka-connection.js';

export interface CommittedGroup {
  id: string;
  /** Undefined if it is unknown. */
  state: string | undefined;
  members: number;
  positions: KafkaPosition[];
}

/** Number of groups whose states are requested at once: an answer names each member. */
const AT_ONCE = 20;

/** Called with what could not be read, and why; `isRefused`: because a right is missing. */
type Note = (why: string, isRefused?: boolean) => void;

/**
 * The groups that a broker coordinates, with their committed offsets.
 * @param names the requested ones; undefined: all
 * @param left how many groups and committed offsets may still be read
 */
export async function groupsAt(
  connection: KafkaConnection,
  {
    names,
    left,
    note,
  }: {
    names: readonly string[] | undefined;
    left: { groups: number; positions: number };
    note: Note;
  },
): Promise<CommittedGroup[]> {
  const known = names ?? (await listed(connection, note));
  if (known.length > left.groups) note('groups: the limit was reached');
  const ids = known.slice(0, left.groups);
  const states = await statesOf(connection, ids, note);
  const groups: CommittedGroup[] = [];
  let more = left.positions;
  for (const id of ids) {
    const state = states?.get(id);
    // The broker has reported that it is not the coordinator of a requested group.
    if (names !== undefined && states !== undefined && state === undefined) continue;
    const positions = await orUnread(connection, committed(connection, id), note);
    if (positions === undefined) continue;
    if (positions.length > more) {
      note('offsets of groups: the limit was reached');
      break;
    }
    more -= positions.length;
    groups.push({ id, state: state?.state, members: state?.members ?? 0, positions });
  }
  return groups;
}

async function listed(connection: KafkaConnection, note: Note): Promise<string[]> {
  if (connection.has('listGroups'))
    return (await orUnread(connection, listGroups(connection), note)) ?? [];
  note('consumer groups: the brokers do not list them');
  return [];
}

/** By the ids of the groups that the broker coordinates; undefined if that is unknown. */
async function statesOf(
  connection: KafkaConnection,
  ids: readonly string[],
  note: Note,
): Promise<Map<string, KafkaGroupState> | undefined> {
  if (ids.length === 0) return undefined;
  if (!connection.has('describeGroups')) {
    note('states of groups: the brokers do not describe them');
    return undefined;
  }
  const states = new Map<string, KafkaGroupState>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const asked = describeGroups(connection, ids.slice(from, from + AT_ONCE));
    const described = await orUnread(connection, asked, note);
    if (described === undefined) return undefined;
    for (const each of described) states.set(each.id, each);
  }
  return states;
}

/** A missing right, or an answer with an error, hides this and nothing else. */
async function orUnread<Value>(
  connection: KafkaConnection,
  reading: Promise<Value>,
  note: Note,
): Promise<Value | undefined> {
  return reading.catch((error: unknown) => {
    if (!(error instanceof SourceError) || connection.isClosed) throw error;
    note(error.message, error.failure === 'refused');
    return undefined;
  });
}
