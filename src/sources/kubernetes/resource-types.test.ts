import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { RESOURCES } from './resource-types.js';

const ROLE = join(import.meta.dirname, '../../../deploy/kubernetes/reader.yaml');

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

test('the shipped role allows every list that is read, no change, and no secret', () => {
  const documents = parseAllDocuments(readFileSync(ROLE, 'utf8')).map(
    (document) => document.toJS() as { kind: string; rules?: Rule[] },
  );
  const rules = documents.find(({ kind }) => kind === 'ClusterRole')?.rules ?? [];
  for (const { name, versions } of RESOURCES) {
    const [group = ''] = (versions[0] ?? '').split('/').slice(0, -1);
    const allowed = rules.some(
      ({ apiGroups, resources }) => apiGroups.includes(group) && resources.includes(name),
    );
    expect([name, allowed]).toEqual([name, true]);
  }
  expect([...new Set(rules.flatMap(({ verbs }) => verbs))]).toEqual(['get', 'list']);
  expect(rules.flatMap(({ resources }) => resources)).not.toContain('secrets');
});
