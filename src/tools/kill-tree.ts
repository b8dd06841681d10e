import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills a process that leads its own group, with all that descends from it: its group, and on Linux also those who have left
 * the group. Harmless where they have ended.
 */
export function killTree(leader: number): void {
  const descendants = descendantsOf(leader);
  for (const pid of [-leader, ...descendants]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

function descendantsOf(leader: number): number[] {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of processes())
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found = [...(children.get(leader) ?? [])];
  for (let i = 0; i < found.length; i++) found.push(...(children.get(found[i] as number) ?? []));
  return found;
}

/** All that run, where /proc says so. */
function processes(): { pid: number; parent: number }[] {
  try {
    return readdirSync('/proc').flatMap((name) => {
      const parent = /^\d+$/.test(name) ? parentOf(name) : undefined;
      return parent === undefined ? [] : [{ pid: Number(name), parent }];
    });
  } catch {
    return [];
  }
}

function parentOf(pid: string): number | undefined {
  try {
    // The name in parentheses may hold anything; behind it stand the state and the parent.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
