import { z } from 'zod';
import type { Tool } from '../../src/tools/tool.js';

const args = z.object({ node: z.string(), part: z.int() });

/** A tool with a large result. Its part `bad` names a fault. */
export const largeTool = (
  characters: number,
  bad: number,
  text = 'lorem ipsum 0.123 {"x": 1} ',
): Tool<{ node: string; part: number }> => ({
  name: 'big_read',
  description: 'Reads a part of a large file.',
  access: 'read',
  measures: () => 'service',
  subject: ['part'],
  repeatable: true,
  args,
  appliesTo: () => true,
  argsFor: ({ id }) => ({ node: id, part: 0 }),
  run: ({ part }) =>
    Promise.resolve({
      status: part === bad ? 'failed' : 'ok',
      summary: `part ${part}`,
      measurements: { text: `${part}: `.padEnd(characters, text) },
      issues:
        part === bad
          ? [
              {
                severity: 'critical',
                symptom: 'saturated',
                title: 'disk /var is full',
                detail: '100 %',
              },
            ]
          : [],
    }),
});

const any = z.object({ node: z.string() });

/** A tool that always fails. */
export const brokenTool: Tool = {
  name: 'broken_probe',
  description: 'It is broken.',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args: any,
  appliesTo: () => true,
  argsFor: ({ id }) => ({ node: id }),
  run: () => Promise.reject(new Error('it is broken')),
};
