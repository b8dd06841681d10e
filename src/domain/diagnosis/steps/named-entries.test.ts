import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PromptFiles } from '../../../prompts/prompt-files.js';
import { FAILURE_KINDS } from '../failure-kind.js';

const SRC = join(import.meta.dirname, '../../..');
/** Where entries are named: by tools, what they judge with, the engine, and conclusions. */
const PLACES = ['tools', 'engine', 'domain/kubernetes', 'domain/diagnosis'];
/** `steps: 'replica'`, `entry: 'clock'`, `steps = isMissing ? 'no-storage-class' : 'claim'` */
const NAMED =
  /\b(?:steps|entry|SELF_SIGNED_EXPIRED)(?::| =) (?:\w+ \? '([a-z0-9-]+)' : )?'([a-z0-9-]+)'/g;

const sources = PLACES.flatMap((place) =>
  readdirSync(join(SRC, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(SRC, place, file), 'utf8')),
);
const named = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(NAMED)].flatMap(([, ...entries]) => entries.filter((each) => each)),
  ),
);

const { nextSteps } = new PromptFiles().prompts;
/** For some nodes, the kind of the node or the object chooses the entry: `replica-of-redis`. */
const isFor = (name: string, entry: string): boolean =>
  entry === name || entry.startsWith(`${name}-of-`);

test('the catalogue has each entry that a tool, the engine or a conclusion names', () => {
  expect([...named].filter((entry) => nextSteps[entry] === undefined)).toEqual([]);
});

test('each entry of the catalogue that is of no kind is named', () => {
  const special = Object.keys(nextSteps).filter(
    (entry) => !FAILURE_KINDS.some((kind) => isFor(kind, entry)),
  );
  const isNamed = (entry: string) => [...named].some((name) => isFor(name, entry));
  expect(special.filter((entry) => !isNamed(entry))).toEqual([]);
  expect(special.length).toBeGreaterThan(30);
});
