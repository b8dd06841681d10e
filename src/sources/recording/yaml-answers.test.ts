import { expect, test } from '@jest/globals';
import { withJson } from './yaml-answers.js';

const answer = (output: string) => ({ tool: 'bash', args: {}, status: 'success', output });
const POD = `apiVersion: v1
kind: Pod
metadata:
  name: cart-1
status:
  message: 0/3 nodes are available: 3 Insufficient memory. preemption: no victims
    found.
`
  .replace('available: 3', 'available; 3')
  .replace('preemption: no', 'preemption, no');

test('turns an object in YAML into JSON', () => {
  expect(JSON.parse(withJson(answer(POD)).output)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'cart-1' },
    status: {
      message: '0/3 nodes are available; 3 Insufficient memory. preemption, no victims found.',
    },
  });
});

test('joins several objects to a list', () => {
  const { output } = withJson(answer(`stdout:\n${POD}---\n${POD}`));
  expect(JSON.parse(output)).toMatchObject({ kind: 'List', items: [{ kind: 'Pod' }, {}] });
});

test.each([
  ['text of other tools', 'NAME   READY\ncart   1/1'],
  ['what is cut off in a string', `${POD}  reason: "Un`],
])('leaves %s as it is', (_, output) => {
  expect(withJson(answer(output)).output).toBe(output);
});
