import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { processorMsOf } from '../../test/support/processes/processor-time.js';
import { readTopology, readTopologyText } from './read-topology.js';

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'consilium-test-'))));
afterAll(() => rm(folder, { recursive: true }));

async function file(text: string): Promise<string> {
  const path = join(folder, 'topology.yaml');
  await writeFile(path, text);
  return path;
}

describe('readTopology', () => {
  it('reads YAML, and knows the line of a path in it', async () => {
    const { content, lineOf } = await readTopology(
      await file('id: 1\nnodes:\n  - id: a\n    attributes:\n      "x.y": 1\n  - id: b\n'),
    );
    expect(content).toEqual({ id: 1, nodes: [{ id: 'a', attributes: { 'x.y': 1 } }, { id: 'b' }] });
    expect(['id', 'nodes[1].id', 'nodes[0].attributes["x.y"]'].map(lineOf)).toEqual([1, 6, 5]);
  });

  it('gives the line of what surrounds something that is missing', async () => {
    const { lineOf } = await readTopology(await file('id: 1\nnodes:\n  - id: a\n  - name: b\n'));
    expect(['nodes[1].id', 'teams[0].name', ''].map(lineOf)).toEqual([4, 1, 1]);
  });

  it('reads JSON', async () => {
    const { content, lineOf } = await readTopology(
      await file('{\n  "id": 1,\n  "nodes": [\n    {"id": "a"}\n  ]\n}\n'),
    );
    expect(content).toEqual({ id: 1, nodes: [{ id: 'a' }] });
    expect(lineOf('nodes[0].id')).toBe(4);
  });

  it.each([
    ['', /topology\.yaml is empty\. A topology has/],
    ['# nothing yet\n', /is empty/],
    ['checkout is slow', /holds a string/],
    ['- a\n- b\n', /holds a list/],
  ])('reports that %j is not a topology', async (text, message) => {
    await expect(readTopology(await file(text))).rejects.toThrow(message);
  });

  it('says where a JSON file is broken in terms of JSON', async () => {
    const path = join(folder, 'topology.json');
    await writeFile(path, '{\n  "id": 1,\n  "nodes": [{"id": "a"]\n}\n');
    await expect(readTopology(path)).rejects.toMatchObject({
      message: `${path} is not JSON.`,
      faults: [{ path: 'line 3, column 23', message: 'expected "," or "}"' }],
    });
  });

  it.each([
    ['{\n  "id": 1,\n  "nodes": [{"id": "a"]\n}\n', 3, 23, 'expected "," or "}"', 'is not JSON'],
    ['{"id": 1, "id": 2}', 1, 11, 'a key is repeated', 'repeats a key'],
    ['[1, 2', 1, 6, 'expected "," or "]", but the text ends', 'is not JSON'],
    ['id: 1\nid: 2\n', 2, 1, 'a key is repeated', 'repeats a key'],
  ])(
    'says where standard input is broken in terms of its format: %j',
    (text, line, column, message, what) =>
      expect(() => readTopologyText('-', text)).toThrow(
        expect.objectContaining({
          message: `Standard input ${what}.`,
          faults: [{ path: `line ${line}, column ${column}`, message }],
        }),
      ),
  );

  it.each(['['.repeat(20_000), '- '.repeat(20_000), `a: ${'{b: '.repeat(200)}`])(
    'refuses a file that is nested too deeply for its parser',
    async (text) =>
      expect(readTopology(await file(text))).rejects.toThrow(
        /topology\.yaml is nested deeper than 64 levels/,
      ),
  );

  it('L4: reads 20,000 keys in linear time, and names the line of the one that is doubled', async () => {
    const text = (count: number) =>
      Array.from({ length: count }, (_, i) => `k${i}: 1`).join('\n') + '\nk0: 1';
    const timeFor = async (count: number) => {
      const path = await file(text(count));
      return processorMsOf(() =>
        expect(readTopology(path)).rejects.toMatchObject({
          options: {
            faults: [{ path: `line ${count + 1}, column 1`, message: 'a key is repeated' }],
          },
        }),
      );
    };
    await timeFor(2_000);
    expect(await timeFor(20_000)).toBeLessThan(4 * Math.max(100, await timeFor(10_000)));
  });

  it('says why a file cannot be read, and where it is broken', async () => {
    await expect(readTopology(join(folder, 'none.yaml'))).rejects.toThrow(
      /none\.yaml: there is no such file/,
    );
    await expect(readTopology(folder)).rejects.toThrow(/it is a folder/);
    await expect(readTopology(await file('id: 1\nnodes: [\n'))).rejects.toMatchObject({
      options: { faults: [{ path: expect.stringMatching(/^line \d, column \d$/) }] },
    });
  });
});
