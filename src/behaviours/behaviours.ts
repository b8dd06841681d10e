import { join } from 'node:path';
import type { KnownNames } from '../domain/behaviour-tree/compile-node.js';
import { compileTree } from '../domain/behaviour-tree/compile-tree.js';
import type { Tree } from '../domain/behaviour-tree/tree.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { AGENT_LEAVES } from './agent-leaves.js';
import { readTreeFiles, withoutEnding, type TreeFile } from './read-tree-files.js';

/** Beside `src` and `dist` alike. */
const SHIPPED = join(import.meta.dirname, '../../behaviours');

/** What an agent does, as it was written and as it is carried out. */
export interface Behaviour {
  name: string;
  description: string;
  /** `shipped` with the service, or a `user`'s of the folder BEHAVIOURS_DIR. */
  origin: 'shipped' | 'user';
  /** The text, with its comments. */
  source: string;
  /** Stands for itself, subtrees and all: to be pinned in a run. */
  tree: Tree;
}

/** Behaviours by name: the shipped ones, and those of a folder, which may also stand in for a shipped one of the same name. */
export class Behaviours {
  private readonly behaviours: ReadonlyMap<string, Behaviour>;

  /**
   * Reads and checks them all.
   * @param folder of a user's trees; undefined: none
   * @throws ConsiliumError `VALIDATION_FAILED` with file, line and column of everything that is wrong, so that the service
   *   does not start with a tree that would fail in the middle of a run
   */
  constructor(folder?: string, leaves: KnownNames = AGENT_LEAVES, shipped: string = SHIPPED) {
    const files = new Map<string, TreeFile & Pick<Behaviour, 'origin'>>();
    for (const file of readTreeFiles(shipped)) files.set(file.name, { ...file, origin: 'shipped' });
    for (const file of folder === undefined ? [] : readTreeFiles(folder)) files.set(file.name, { ...file, origin: 'user' });

    const known: KnownNames = { ...leaves, tree: (name) => files.get(withoutEnding(name)) };
    const behaviours = new Map<string, Behaviour>();
    const faults: Fault[] = [];
    for (const { name, file, text, origin } of files.values()) {
      try {
        const { tree, description, name: called } = compileTree(text, file, known);
        if (called !== name)
          faults.push({ path: `${file}:1:1`, message: `holds the tree "${called}": expected one of the file's name, "${name}"` });
        behaviours.set(name, { name, description, origin, source: text, tree });
      } catch (error) {
        if (!(error instanceof ConsiliumError)) throw error;
        faults.push(...(error.options.faults ?? []));
      }
    }
    if (faults.length > 0) throw refused(faults);
    this.behaviours = behaviours;
  }

  /** @param name with or without `.tree` */
  get(name: string): Behaviour | undefined {
    return this.behaviours.get(withoutEnding(name));
  }

  /** By name. */
  list(): Behaviour[] {
    return [...this.behaviours.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** A fault of a tree that others use as a subtree is found with each of them, and said once. */
function refused(found: readonly Fault[]): ConsiliumError {
  const faults = [...new Map(found.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
  const lines = faults.map(({ path, message }) => `\n  ${path}: ${message}`);
  return new ConsiliumError('VALIDATION_FAILED', `Behaviours that cannot be used:${lines.join('')}`, { faults });
}
