import type { Json, JsonObject } from '../../lib/json.js';
import { childPath } from './child-path.js';
import { decideParallel } from './decide-parallel.js';
import { resolveOptions } from './resolve-options.js';
import { readKey, type LeafFault, type TickEnvironment } from './tick-environment.js';
import {
  BUDGET_CONDITION,
  type BoundItem,
  type Leaf,
  type TreeOutcome,
  type Policy,
} from './tree.js';
import type { TickStatus, Tree, TreeMemory } from './tree.js';
import { WalkMemory } from './walk-memory.js';

type Node<Type extends Tree['type']> = Extract<Tree, { type: Type }>;
type Item = BoundItem | undefined;

interface Repetition {
  most: number;
  until: TreeOutcome | 'count';
  /** Outcome after `most` repetitions. */
  otherwise: TreeOutcome;
}

/**
 * Maximum visits of nodes per tick, after which a loop without leaves waits for the next tick, so
 * that it cannot block the process.
 */
const VISITS = 10_000;

/** One tick through a tree. Used once. */
export class Walk {
  readonly memory: WalkMemory;
  readonly faults: LeafFault[] = [];
  wakeAt: number | null = null;
  private visits = 0;

  constructor(
    before: TreeMemory,
    private readonly environment: TickEnvironment,
  ) {
    this.memory = new WalkMemory(before, environment.now);
  }

  visit(node: Tree, path: string, item: Item): TickStatus {
    this.visits++;
    const known = this.memory.get(path)?.status;
    const status =
      known === 'success' || known === 'failure' ? known : this.enter(node, path, item);
    if (status !== 'running' && this.memory.get(path)?.status !== 'fresh') this.memory.delete(path);
    return status;
  }

  private enter(node: Tree, path: string, item: Item): TickStatus {
    switch (node.type) {
      case 'sequence':
      case 'selector':
        return this.inOrder(
          path,
          node.children.length,
          node.type === 'sequence' ? 'success' : 'failure',
          (at) => this.visit(node.children[at] as Tree, childPath(path, at), item),
        );
      case 'parallel':
        return this.atOnce(path, node.children.length, node, (at) =>
          this.visit(node.children[at] as Tree, childPath(path, at), item),
        );
      case 'for-each':
        return this.forEach(node, path);
      case 'repeater':
        return this.repeat(node.child, path, item, {
          most: node.max,
          until: node.until,
          otherwise: node.until === 'count' ? 'success' : 'failure',
        });
      case 'retry':
        return this.repeat(node.child, path, item, {
          most: node.times,
          until: 'success',
          otherwise: 'failure',
        });
      case 'timeout':
        return this.timeout(node, path, item);
      case 'cooldown':
        return this.cooldown(node, path, item);
      case 'guard':
        return this.guard(node.condition, node.child, path, item);
      case 'budget-check':
        return this.guard(BUDGET_CONDITION, node.child, path, item);
      case 'inverter': {
        const status = this.pass(node.child, path, item);
        return status === 'running' ? status : status === 'success' ? 'failure' : 'success';
      }
      case 'always-succeed':
      case 'always-fail': {
        const running = node.child && this.pass(node.child, path, item) === 'running';
        return running ? 'running' : node.type === 'always-succeed' ? 'success' : 'failure';
      }
      case 'subtree':
        return this.pass(node.child, path, item);
      case 'finally':
        return this.visitFinally(node, path);
      case 'condition':
        return this.ask(node.name, path, item) ? 'success' : 'failure';
      case 'action':
        return this.start({ path, type: 'action', name: node.fn ?? node.name }, item);
      case 'llm-call':
        return this.start(
          { path, type: 'llm-call', name: 'llm-call', ...this.options(node, path) },
          item,
        );
    }
  }

  /** Runs children in order while they have the expected outcome; resumes at the running one. */
  private inOrder(
    path: string,
    count: number,
    continueOn: TreeOutcome,
    visit: (at: number) => TickStatus,
  ): TickStatus {
    const known = this.memory.get(path);
    const first = known?.at ?? 0;
    for (let at = first; at < count; at++) {
      const status = at > first && this.hasUsedItsVisits() ? 'running' : visit(at);
      if (status === 'running')
        return known?.at === at
          ? status
          : this.memory.keepRunning(path, { ...this.memory.get(path), at });
      if (status !== continueOn) return status;
    }
    return continueOn;
  }

  private atOnce(
    path: string,
    count: number,
    policy: Policy,
    visit: (at: number) => TickStatus,
  ): TickStatus {
    const ended: (TreeOutcome | null)[] = Array.from(
      { length: count },
      (_, at) => this.memory.get(path)?.ended?.[at] ?? null,
    );
    const number = (outcome: TreeOutcome) => ended.filter((each) => each === outcome).length;
    let succeeded = number('success');
    let failed = number('failure');
    let decided = decideParallel(policy, count, succeeded, failed);
    for (let at = 0; at < count && decided === null; at++) {
      if (ended[at] !== null) continue;
      const status = visit(at);
      if (status === 'running') continue;
      ended[at] = status;
      if (status === 'success') succeeded++;
      else failed++;
      decided = decideParallel(policy, count, succeeded, failed);
    }
    if (decided === null) return this.memory.keepRunning(path, { ...this.memory.get(path), ended });
    this.memory.reset(path);
    return decided;
  }

  private forEach(node: Node<'for-each'>, path: string): TickStatus {
    const items = this.memory.get(path)?.items ?? this.list(node.list);
    if (items === null) return 'failure';
    if (items.length === 0) return 'success';
    this.memory.keepRunning(path, { ...this.memory.get(path), items });
    const visit = (at: number) =>
      this.visit(node.child, childPath(path, at), { value: items[at] as Json, index: at });
    return node.atOnce
      ? this.atOnce(path, items.length, node.atOnce, visit)
      : this.inOrder(path, items.length, 'success', visit);
  }

  private repeat(
    child: Tree,
    path: string,
    item: Item,
    { most, until, otherwise }: Repetition,
  ): TickStatus {
    const known = this.memory.get(path);
    const first = known?.count ?? 0;
    for (let count = first; count < most; count++) {
      const status =
        count > first && this.hasUsedItsVisits()
          ? 'running'
          : this.visit(child, childPath(path, 0), item);
      if (status === 'running')
        return known?.count === count ? status : this.memory.keepRunning(path, { count });
      if (status === until) return 'success';
    }
    return otherwise;
  }

  private timeout(node: Node<'timeout'>, path: string, item: Item): TickStatus {
    const since = this.memory.get(path)?.since ?? this.environment.now;
    const status = this.visit(node.child, childPath(path, 0), item);
    if (status !== 'running') return status;
    if (this.environment.now - since >= node.ms) {
      this.memory.reset(path);
      return 'failure';
    }
    this.wake(since + node.ms);
    return this.memory.keepRunning(path, { since });
  }

  private cooldown(node: Node<'cooldown'>, path: string, item: Item): TickStatus {
    if (this.memory.get(path)?.status === 'fresh') return 'failure';
    const status = this.pass(node.child, path, item);
    if (status !== 'running') this.memory.coolDown(path, this.environment.now + node.ms);
    return status;
  }

  private guard(condition: string, child: Tree, path: string, item: Item): TickStatus {
    if (this.ask(condition, path, item)) return this.pass(child, path, item);
    this.memory.reset(path);
    return 'failure';
  }

  private visitFinally(node: Node<'finally'>, path: string): TickStatus {
    const body =
      this.memory.get(path)?.body ?? this.visit(node.child, childPath(path, 0), undefined);
    if (body === 'running') return this.memory.keepRunning(path);
    const last = this.visit(node.last, childPath(path, 1), undefined);
    if (last === 'running') return this.memory.keepRunning(path, { body });
    return last === 'success' ? body : 'failure';
  }

  private pass(child: Tree, path: string, item: Item): TickStatus {
    const status = this.visit(child, childPath(path, 0), item);
    return status === 'running' ? this.memory.keepRunning(path) : status;
  }

  private start(leaf: Leaf, item: Item): 'running' {
    return this.memory.start(item === undefined ? leaf : { ...leaf, item });
  }

  private ask(name: string, path: string, item: Item): boolean {
    try {
      return this.environment.test(name, item);
    } catch (error) {
      this.faults.push({ path, name, error });
      return false;
    }
  }

  private options({ options }: Node<'llm-call'>, path: string): { options?: JsonObject } {
    if (options === undefined) return {};
    const { resolved, faults } = resolveOptions(options, (key) => readKey(this.environment, key));
    for (const error of faults) this.faults.push({ path, name: 'llm-call', error });
    return { options: resolved };
  }

  /** Copied, so that a leaf that changes the blackboard does not change the list. */
  private list(key: string): Json[] | null {
    const list = readKey(this.environment, key) ?? [];
    return Array.isArray(list) ? (JSON.parse(JSON.stringify(list)) as Json[]) : null;
  }

  private hasUsedItsVisits(): boolean {
    if (this.visits < VISITS) return false;
    this.wake(this.environment.now);
    return true;
  }

  private wake(at: number): void {
    this.wakeAt = Math.min(at, this.wakeAt ?? at);
  }
}
