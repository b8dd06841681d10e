import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { Table } from '../lib/table.mjs';

export const title = 'Behaviour tree';
export const about = `What the tree of a worker costs a turn, beside the same turn written as a loop. The leaves do nothing but return, so all that is measured
is the engine: a tick after each leaf, and what drives it (promises, abort signals). With a checkpoint: the memory of the tree is put through
JSON after each leaf, as at a step of a run. Agents of fifteen turns, one after the other.`;

const TURNS = 15;
const DIST = join(import.meta.dirname, '../../dist');
const LEAVES = [
  'start-turn',
  'build-messages',
  'llm-call',
  'run-tools',
  'check-progress',
  'drain-notifications',
];

export async function run({ reps, size, brief }) {
  const { driveTree } = await import(join(DIST, 'behaviours/drive-tree.js'));
  const { Behaviours } = await import(join(DIST, 'behaviours/behaviours.js'));
  const { tree } = new Behaviours().get('worker');
  const agents = Math.max(1, Math.ceil(400 * (brief ? 0.05 : size)));

  const table = new Table();
  const contenders = {
    'a tree, with a checkpoint': () =>
      drive(driveTree, tree, (memory) => JSON.stringify(Object.fromEntries(memory))),
    'a tree': () => drive(driveTree, tree, () => undefined),
    'a loop': loop,
  };
  // The first round is a warm-up and is not counted.
  for (let rep = -1; rep < reps; rep++)
    for (const [who, work] of Object.entries(contenders)) {
      const since = performance.now();
      for (let i = 0; i < agents; i++) {
        await work();
        // Signals use weak references, which are released only between two turns of the event loop.
        await breathe();
      }
      const us = ((performance.now() - since) * 1_000) / (agents * TURNS);
      if (rep >= 0) table.add('a turn', who, 'µs', us);
    }
  const more =
    table.median('a turn', 'a tree, with a checkpoint') - table.median('a turn', 'a loop');
  table.target('what a tree adds to a turn', more, '<=', 1_000, 'µs');
  return table;
}

async function drive(driveTree, tree, save) {
  let turns = 0;
  const board = {};
  const driven = await driveTree({
    tree,
    memory: new Map(),
    blackboard: board,
    stop: new AbortController().signal,
    now: Date.now,
    test: (name) => name === 'stopped?' && turns === TURNS,
    async carryOut({ name }) {
      if (name === 'start-turn') turns++;
      save(this.memory);
      return 'success';
    },
    failed(_, error) {
      throw error;
    },
    noted({ error }) {
      throw error;
    },
  });
  if (driven.status !== 'success' || turns !== TURNS)
    throw new Error(`a tree ended as ${driven.status} after ${turns} turns`);
}

async function loop() {
  let turns = 0;
  const leaf = async (name) => {
    if (name === 'start-turn') turns++;
  };
  while (turns < TURNS) for (const name of LEAVES) await leaf(name);
}
