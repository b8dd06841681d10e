import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { McpServers } from './ask-mcp.js';
import { readOwnTools } from './own-tool.js';

const secretOf = () => 'hunter2';

/** @param program a shell script; the file is NAME.yaml */
function toolOf(file: string, program: string, name = 'echo.sh') {
  const folder = mkdtempSync(join(tmpdir(), 'own-tools-'));
  writeFileSync(join(folder, name), `#!/bin/sh\n${program}\n`);
  chmodSync(join(folder, name), 0o755);
  writeFileSync(join(folder, 'own.yaml'), file);
  const [tool] = readOwnTools({ folder, secretOf, mcp: new McpServers([], secretOf) }, []);
  if (tool === undefined) throw new Error('no tool was read');
  return tool;
}

describe('a parameter that the command needs', () => {
  const file = {
    description: 'x',
    kinds: ['queue'],
    command: ['echo.sh', '{depth}'],
    parameters: { depth: { type: 'integer', minimum: 0, description: 'How deep' } },
  };
  const tool = toolOf(stringify(file), 'echo "depth $1"');
  const nodeWith = (attributes: TopologyNode['attributes']) => ({ ...nodeOf('queue'), attributes });
  const outputOf = async (args: object, attributes: TopologyNode['attributes']) => {
    const given = tool.args.parse({ node: 'target', ...args });
    return (await tool.run(given, contextOf(nodeWith(attributes)))).measurements['output'];
  };

  test('is the attribute of the node in a first look, which others are not part of', () => {
    expect(tool.onDemand?.(nodeWith({}))).toBe(true);
    expect(tool.onDemand?.(nodeWith({ depth: 7 }))).toBe(false);
    expect(tool.argsFor(nodeWith({ depth: 7, slowMs: 5 }))).toEqual({ node: 'target', depth: 7 });
  });

  test('is the attribute of the node where the call leaves it out, and else that of the call', async () => {
    expect(await outputOf({}, { depth: 7 })).toBe('depth 7');
    expect(await outputOf({ depth: 8 }, { depth: 7 })).toBe('depth 8');
  });

  test('is checked as that of a call is', async () => {
    const fault = 'an attribute of the node does not fit: depth must be ';
    await expect(outputOf({}, { depth: '7; reboot' })).rejects.toThrow(fault);
    await expect(outputOf({}, { depth: -1 })).rejects.toThrow(fault);
    await expect(outputOf({}, {})).rejects.toThrow('it needs depth');
  });
});

test('the documented example works as it stands', async () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/own-tools.md'), 'utf8');
  const [file = '', topology = ''] = [...docs.matchAll(/```yaml\n(.*?)```/gs)].map(
    ([, text]) => text,
  );
  const { nodes } = parse(topology) as { nodes: TopologyNode[] };
  const [node] = nodes as [TopologyNode];
  const program = 'test "$QUEUE_PASSWORD" = hunter2 && echo "{\\"queue\\":{\\"waiting\\":4242}}"';
  const tool = toolOf(file, program, 'queue-depth');
  expect(tool.appliesTo(node)).toBe(true);
  expect(tool.onDemand?.(node)).toBe(false);
  const args = tool.args.parse(tool.argsFor(node));
  expect(expectSound(await tool.run(args, contextOf(node)))).toMatchObject({
    status: 'failed',
    issues: [{ severity: 'critical', title: '4242 messages wait' }],
  });
});
