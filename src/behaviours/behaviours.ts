import { join } from 'node:path';
import type { KnownNames } from '../domain/behaviour-tree/compilation.js';
import { compileTree } from '../domain/behaviour-tree/compile-tree.js';
import type { Tree } from '../domain/behaviour-tree/tree.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import type { JsonObject } from '../lib/json.js';
import type { NamedParts } from '../domain/topology/topology-sketch.js';
import type { Topology } from '../domain/topology/topology.js';
import { allowed, quote } from '../lib/text.js';
import { AGENT_LEAVES } from './agent-actions.js';
import { behaviourName, roleOf } from './behaviour-name.js';
import { wrongLastAction } from './required-action.js';
import { readTreeFiles, withoutEnding, type TreeFile } from './read-tree-files.js';

/** Has the same path relative to `src` and `dist`. */
const SHIPPED = join(import.meta.dirname, '../../behaviours');

/** A behaviour: its text and its compiled tree. */
export interface Behaviour {
  name: string;
  description: string;
  /** `shipped` with the service, or `user` if it is from BEHAVIOURS_DIR. */
  origin: 'shipped' | 'user';
  /** The text, with its comments. */
  source: string;
  /** Complete, with its subtrees inlined, so that a run can store it. */
  tree: Tree;
  /** Initial values of the blackboard keys that it declares. */
  blackboard: JsonObject;
}

/**
 * Behaviours by name: the shipped ones and those of a folder, which may replace shipped ones of the
 * same name.
 */
export class Behaviours {
  private readonly behaviours: ReadonlyMap<string, Behaviour>;

  /**
   * Reads and checks all trees.
   * @param folder of custom trees; undefined: none
   * @throws ConsiliumError `VALIDATION_FAILED` with file, line and column of every fault, so that
   *   the service does not start with a tree that would fail during a run
   */
  constructor(folder?: string, leaves: KnownNames = AGENT_LEAVES, shipped: string = SHIPPED) {
    const files = new Map<string, TreeFile & Pick<Behaviour, 'origin'>>();
    for (const file of readTreeFiles(shipped)) files.set(file.name, { ...file, origin: 'shipped' });
    for (const file of folder === undefined ? [] : readTreeFiles(folder))
      files.set(file.name, { ...file, origin: 'user' });

    const known: KnownNames = { ...leaves, tree: (name) => files.get(withoutEnding(name)) };
    const behaviours = new Map<string, Behaviour>();
    const faults: Fault[] = [];
    for (const { name, file, text, origin } of files.values()) {
      try {
        const { tree, description, blackboard, name: called } = compileTree(text, file, known);
        if (called !== name)
          faults.push({
            path: `${file}:1:1`,
            message: `has the tree "${called}"; expected "${name}", as the file`,
          });
        const role = roleOf(name);
        const wrong = role && wrongLastAction(role, tree);
        if (wrong !== undefined) faults.push({ path: `${file}:1:1`, message: wrong });
        behaviours.set(name, { name, description, origin, source: text, tree, blackboard });
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

  /**
   * The trees of the agents of a topology by name ({@link behaviourName}), to be stored in a run.
   * @throws ConsiliumError `VALIDATION_FAILED` with every place that names a missing behaviour, or
   *   one of another role
   */
  pin(topology: Topology): Record<string, Tree> {
    const { trees, faults } = this.resolve(topology);
    if (faults.length > 0)
      throw new ConsiliumError(
        'VALIDATION_FAILED',
        'The topology names behaviours that do not exist or do not fit',
        { faults },
      );
    return Object.fromEntries(trees);
  }

  /** Every place of a topology that names a missing behaviour, or one of another role. */
  faultsIn(topology: NamedParts): Fault[] {
    return this.resolve(topology).faults;
  }

  private resolve({ globalSupervisor, teams }: NamedParts): {
    trees: Map<string, Tree>;
    faults: Fault[];
  } {
    const trees = new Map<string, Tree>();
    const faults: Fault[] = [];
    const add = (path: string, ...of: Parameters<typeof behaviourName>) => {
      const name = behaviourName(...of);
      const tree = this.behaviours.get(name)?.tree;
      const wrong = tree && wrongLastAction(of[0], tree);
      if (wrong !== undefined)
        faults.push({
          path: `${path}.behaviour`,
          message: `${quote(name)} does not fit: ${wrong}`,
        });
      if (tree) trees.set(name, tree);
      else
        faults.push({
          path: `${path}.behaviour`,
          message: `unknown behaviour ${quote(name)}: ${allowed(name, this.names())}`,
        });
    };
    add('globalSupervisor', 'global_supervisor', globalSupervisor);
    for (const [i, { supervisor, workers }] of teams.entries()) {
      add(`teams[${i}].supervisor`, 'team_supervisor', supervisor);
      for (const [j, worker] of workers.entries())
        add(`teams[${i}].workers[${j}]`, 'worker', worker);
    }
    return { trees, faults };
  }

  /** The tree of the oracle by name, to be stored in a chat turn. */
  pinOracle(): Record<string, Tree> {
    const tree = this.behaviours.get('oracle')?.tree;
    // Always present: it is shipped, and a custom file can only replace it.
    return tree ? { oracle: tree } : {};
  }

  /** The initial blackboards of stored trees, by name, without empty ones. */
  blackboards(trees: Record<string, Tree>): Record<string, JsonObject> {
    const all = Object.keys(trees).map(
      (name) => [name, this.behaviours.get(name)?.blackboard ?? {}] as const,
    );
    return Object.fromEntries(all.filter(([, blackboard]) => Object.keys(blackboard).length > 0));
  }

  /** By name. */
  list(): Behaviour[] {
    return this.names().flatMap((name) => this.behaviours.get(name) ?? []);
  }

  private names(): string[] {
    return [...this.behaviours.keys()].sort();
  }
}

/** A fault of a shared subtree occurs once per tree that uses it; reports it once. */
function refused(found: readonly Fault[]): ConsiliumError {
  const faults = [
    ...new Map(found.map((fault) => [`${fault.path} ${fault.message}`, fault])).values(),
  ];
  const lines = faults.map(({ path, message }) => `\n  ${path}: ${message}`);
  return new ConsiliumError(
    'VALIDATION_FAILED',
    `Behaviours that cannot be used:${lines.join('')}`,
    { faults },
  );
}
