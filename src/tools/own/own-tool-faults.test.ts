import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  DEPTH,
  echo,
  folderWith,
  mcp,
  secretOf,
} from '../../../test/support/sources/own-tools-folder.js';
import { ConsiliumError } from '../../domain/errors.js';
import { readOwnTools } from './own-tool.js';

describe('a folder with faults', () => {
  const faultsOf = (name: string, file: object, taken: string[] = []) => {
    try {
      readOwnTools({ folder: folderWith({ [name]: file }), secretOf, mcp }, taken);
    } catch (error) {
      if (error instanceof ConsiliumError) return JSON.stringify(error.faults);
    }
    return '';
  };

  test.each<[string, object, string]>([
    ['no program', echo('missing.sh'), 'there is no program missing.sh'],
    ['a program of the system', echo('/bin/sh'), 'there is no program /bin/sh'],
    [
      'neither command nor http',
      { description: 'x', kinds: ['a'] },
      'either a command, http or mcp',
    ],
    ['an unknown place', { ...DEPTH, command: ['depth.sh', '{size}'] }, '{size} is no parameter'],
    ['a credential', echo('env.sh', { env: { A: 'hunter2' } }), 'must be ${env:NAME}'],
    [
      'tenants of a request',
      { description: 'x', kinds: ['a'], http: { path: '/' }, tenants: 'all' },
      'is of tools with a command only',
    ],
    ['an unknown field', echo('env.sh', { shell: true }), 'shell'],
    ['a path', { description: 'x', kinds: ['a'], http: { path: 'x' } }, 'must begin with /'],
    [
      'an exit code',
      echo('env.sh', { exit: { abc: { severity: 'info', title: 'x' } } }),
      'must be an exit code',
    ],
  ])('refuses %s', (_, file, message) => expect(faultsOf('own', file)).toContain(message));

  test('names all of them at once, each with its line and its field', () => {
    const file = [
      'description: 7',
      'kinds: []',
      'http: { path: "/stats/{nothere}" }',
      'command: [missing.sh]',
      'parameters:',
      '  Depth: { type: text, description: x }',
      '  large: { type: string, description: x, if: {} }',
      'measurements: { depth: queue.depth }',
      'thresholds: [{ measurement: dept, severity: bad, title: x }]',
      'timeoutSeconds: 99',
      'judge: [{ when: "output.(", severity: critical, title: x }]',
      'required: [size]',
    ].join('\n');
    const folder = folderWith({});
    writeFileSync(join(folder, 'own.yaml'), file);
    const read = () => readOwnTools({ folder, secretOf, mcp }, []);
    let faults: string[] = [];
    try {
      read();
    } catch (error) {
      if (error instanceof ConsiliumError)
        faults = (error.faults ?? []).map(({ path, message }) => `${path} ${message}`);
    }
    const at = join(folder, 'own.yaml');
    expect(faults.map((fault) => fault.replace(`${at}:`, ''))).toEqual([
      '1 description must be a text',
      '2 kinds must have at least 1 entry',
      '3 http give either a command, http or mcp; it has command and http',
      '3 http.path {nothere} is no parameter; allowed: Depth, large, node, host, port',
      '4 command[0] there is no program missing.sh in the folder of the tools',
      '6 parameters.Depth is a key that is not allowed: it must be small letters, digits and _, at most 60',
      '7 parameters.large is no JSON Schema that can be used: Conditional schemas (if/then/else) are not supported',
      '9 thresholds[0] must have above or below',
      '9 thresholds[0].measurement is not in measurements; did you mean "depth"? allowed: depth',
      '9 thresholds[0].severity must be one of info, warning, critical',
      '10 timeoutSeconds must be at most 30',
      '11 judge[0].when is no CEL expression: Expected IDENTIFIER, got LPAREN',
      '12 required[0] is not in parameters; allowed: Depth, large',
    ]);
  });

  test('refuses a name that another tool has, and one that is no name', () => {
    expect(faultsOf('tcp_probe', DEPTH, ['tcp_probe'])).toContain('a tool tcp_probe already');
    expect(faultsOf('My-Tool', DEPTH)).toContain('small letters');
  });

  test('refuses a link that leads out of the folder', () => {
    const folder = folderWith({ own: echo('link.sh') });
    symlinkSync('/bin/sh', join(folder, 'link.sh'));
    expect(() => readOwnTools({ folder, secretOf, mcp }, [])).toThrow(ConsiliumError);
  });
});
