import { fieldsOf, textOf } from '../../domain/kubernetes/fields.js';
import type { Observations } from '../observations.js';

const POD = /\bPod\/([\w.-]{1,253})/;

/**
 * The machine of the pod that a line is about, and the node of the topology that represents it, if
 * one does.
 */
export function machineOfPod(
  line: string,
  {
    nodes,
    kubernetes,
    kubernetesByNode,
  }: Pick<Observations, 'nodes' | 'kubernetes' | 'kubernetesByNode'>,
): { name: string; node?: string } | undefined {
  const pod = POD.exec(line)?.[1];
  const found = kubernetes.find(({ kind, name }) => kind === 'Pod' && name === pod);
  const machine = textOf(fieldsOf(found?.object['spec'])['nodeName']);
  if (machine === '') return undefined;
  const isOf = (id: string) =>
    id === machine ||
    kubernetesByNode.get(id)?.some(({ kind, name }) => kind === 'Node' && name === machine);
  const own = nodes.filter(({ id }) => isOf(id));
  // A node that represents the whole cluster has all machines.
  const [node] = own.filter(
    ({ id }) => (kubernetesByNode.get(id) ?? []).filter(({ kind }) => kind === 'Node').length < 2,
  );
  return { name: machine, ...(node && { node: node.id }) };
}
