import { useRunView } from '../run-context.js';

/** The name of a node, which selects it. */
export function NodeLink({ node, strong = false }: { node: string; strong?: boolean }) {
  const { model, actions } = useRunView();
  return (
    <button
      className={strong ? 'linkish strong' : 'linkish'}
      onClick={() => actions.pickNode(node)}
    >
      {model.nameOf(node)}
    </button>
  );
}
