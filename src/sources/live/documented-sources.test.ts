import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { firstLookAt } from '../../agents/roles/brief-nodes.js';
import { parseTopology } from '../../domain/topology/parse-topology.js';
import { diagnosticTools } from '../../tools/tools.js';
import { readSourcesFile } from './sources-file.js';

const DOCS = readFileSync(join(import.meta.dirname, '../../../docs/sources.md'), 'utf8');
/**
 * Examples of docs/sources.md below their headings: of SOURCES_FILE, and of topologies that use it.
 */
const EXAMPLES = DOCS.split(/^#{2,3} /m).flatMap((part) => {
  const [heading = ''] = part.split('\n');
  const blocks = [...part.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
  return blocks.flatMap((block) => block.split('# topology\n')).map((text) => ({ heading, text }));
});
const of = (wanted: (text: string) => boolean) => EXAMPLES.filter(({ text }) => wanted(text));
const isTopology = (text: string) => /^nodes:/m.test(text);
const isFile = (text: string) => /^sources:/m.test(text) && !isTopology(text);

test.each(of(isFile))('the servers of "$heading" are listed as they stand', ({ text }) => {
  const path = join(mkdtempSync(join(tmpdir(), 'documented-')), 'sources.yaml');
  writeFileSync(path, text);
  const { sources } = parse(text) as { sources: object[] };
  expect(readSourcesFile(path)).toMatchObject(sources);
});

test.each(of(isTopology))('the nodes of "$heading" are looked at as they stand', ({ text }) => {
  const document = { id: 1, name: 'Documented', ...(parse(text) as object) };
  const parsed = parseTopology(document, diagnosticTools);
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults));
  const { nodes, sources } = parsed.topology;
  expect(nodes).not.toHaveLength(0);
  for (const node of nodes) expect(firstLookAt(node, diagnosticTools, sources)).not.toEqual([]);
});

test('each source has an example, and says which rights it needs', () => {
  const pages = DOCS.split(/^## /m).slice(1);
  const ofSources = pages.filter((page) => !/^(?:List the|Use one|Discover)/.test(page));
  expect(ofSources.length).toBeGreaterThan(10);
  for (const page of ofSources) {
    expect(page).toMatch(/\*\*Rights\.\*\*|\| rights /);
    expect(page).toContain('```yaml');
  }
});
