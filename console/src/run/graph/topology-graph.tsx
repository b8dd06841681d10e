import {
  MarkerType,
  ReactFlow,
  useReactFlow,
  ReactFlowProvider,
  type Edge,
  type NodeTypes,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useEffect, useMemo, useRef, useState, type CSSProperties } from 'react';
import { edgeKey, type FailurePath } from '../../model/view/path-at.js';
import { Icon } from '../../ui/icon.js';
import { useSize } from '../../ui/use-size.js';
import { FIT_GRAPH } from './fit-event.js';
import { isFar, namedFromAfar } from './far-view.js';
import type { GraphNode } from './graph-node.js';
import { CARD, layoutOf, shapeOf, stretch } from './layout.js';
import { NodeCard, type CardNode, type NodeState } from './node-card.js';
import { MARGIN, viewportOf } from './viewport.js';

const NODE_TYPES: NodeTypes = { card: NodeCard };
/**
 * All cards have one size. Without it, React Flow would measure every card that has changed, and
 * take its edges away until then.
 */
const SIZED = { ...CARD, measured: CARD } satisfies Partial<CardNode>;
/** In larger topologies only the pulse of a tool that is under way moves. */
const CROWD = 24;
/** Of so many, all names are shown from afar, too. */
const FEW = 16;

interface Place {
  x: number;
  y: number;
}

function classOf(nodes: number): string {
  if (nodes > CROWD) return 'graph is-crowded';
  return nodes > FEW ? 'graph' : 'graph is-sparse';
}

export interface TopologyGraphProps {
  nodes: readonly GraphNode[];
  stateOf: (id: string) => NodeState;
  path: FailurePath;
  picked: string | null;
  onPick: (id: string | null) => void;
  /** The nodes that a narrow panel always shows. */
  focus: readonly string[];
}

/** A topology with the health of its nodes, and the path of the failure. */
export function TopologyGraph(props: TopologyGraphProps) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

function Graph({ nodes, stateOf, path, picked, onPick, focus }: TopologyGraphProps) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const shape = shapeOf(nodes);
  // Laid out again only if nodes or dependences change, not if their health does.
  const base = useMemo(() => layoutOf(nodes), [shape]);
  const layout = useMemo(
    () => (size ? stretch(base, (size.width - 2 * MARGIN) / (size.height - 2 * MARGIN)) : base),
    [base, size],
  );
  const near = useMemo(() => neighbours(nodes, picked), [shape, picked]);
  const [zoom, setZoom] = useState(1);
  const placeOf = (id: string): Place => layout.at.get(id) ?? { x: 0, y: 0 };
  const named = namedFromAfar(
    nodes.map(({ id, name }) => ({ id, name, health: stateOf(id).health, at: placeOf(id) })),
    zoom,
  );
  const cards = useCards(nodes, stateOf, (node) => ({
    position: placeOf(node.id),
    named: named.has(node.id),
    picked: node.id === picked,
    dim: near !== null && !near.has(node.id),
    onPath: path.nodes.has(node.id),
  }));
  const way = [...path.edges, '|', ...path.against].join();
  const edges = useMemo(() => edgesOf(nodes, path, picked), [shape, way, picked]);
  const flow = useReactFlow();
  const inView = [...focus, '|', ...path.nodes].join();
  useEffect(() => {
    if (!size) return;
    const fit = (): void => {
      const viewport = viewportOf(layout, size, { always: focus, ifRoom: [...path.nodes] });
      void flow.setViewport(viewport);
      setZoom(viewport.zoom);
    };
    fit();
    addEventListener(FIT_GRAPH, fit);
    return () => removeEventListener(FIT_GRAPH, fit);
  }, [flow, layout, size, inView]);
  const scale: CSSProperties & Record<'--unzoom', number> = { '--unzoom': 1 / zoom };
  return (
    <div
      className={`${classOf(nodes.length)}${isFar(zoom) ? ' is-far' : ''}`}
      style={scale}
      ref={box}
    >
      <ReactFlow<CardNode>
        nodes={cards}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onNodeClick={(_, { id }) => onPick(id === picked ? null : id)}
        onPaneClick={() => onPick(null)}
        onMove={(_, viewport) => setZoom(viewport.zoom)}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        zoomActivationKeyCode={['Control', 'Meta']}
        deleteKeyCode={null}
        selectionKeyCode={null}
        preventScrolling={false}
        minZoom={0.05}
        maxZoom={2.5}
        proOptions={{ hideAttribution: true }}
      />
      <div className="graph-tools noprint">
        <Tool label="Zoom in" text="+" onClick={() => void flow.zoomIn()} />
        <Tool label="Zoom out" text="−" onClick={() => void flow.zoomOut()} />
        <button
          className="tool"
          onClick={() => dispatchEvent(new Event(FIT_GRAPH))}
          aria-label="Fit the graph"
          title="Fit (F)"
        >
          <Icon name="fit" size={13} />
        </button>
      </div>
    </div>
  );
}

function Tool({ label, text, onClick }: { label: string; text: string; onClick: () => void }) {
  return (
    <button className="tool" onClick={onClick} aria-label={label} title={`${label} (Ctrl + wheel)`}>
      {text}
    </button>
  );
}

/**
 * The cards; a card that says the same as before is the same object, so that it is not drawn again.
 */
function useCards(
  nodes: readonly GraphNode[],
  stateOf: (id: string) => NodeState,
  placeOf: (node: GraphNode) => {
    position: Place;
    named: boolean;
    picked: boolean;
    dim: boolean;
    onPath: boolean;
  },
): CardNode[] {
  const known = useRef(new Map<string, { key: string; card: CardNode }>());
  const before = useRef<CardNode[]>([]);
  const cards = nodes.map((node) => {
    const { position, ...look } = placeOf(node);
    const data = {
      ...stateOf(node.id),
      ...look,
      name: node.name,
      kind: node.kind,
      dependsOn: node.dependsOn,
    };
    const key = JSON.stringify([data, position]);
    const old = known.current.get(node.id);
    if (old?.key === key) return old.card;
    const card: CardNode = { id: node.id, type: 'card', position, data, ...SIZED };
    known.current.set(node.id, { key, card });
    return card;
  });
  const same =
    cards.length === before.current.length && cards.every((card, i) => card === before.current[i]);
  if (!same) before.current = cards;
  return before.current;
}

function neighbours(nodes: readonly GraphNode[], picked: string | null): Set<string> | null {
  if (picked === null) return null;
  const above = nodes.filter(({ dependsOn }) => dependsOn.includes(picked)).map(({ id }) => id);
  const below = nodes.find(({ id }) => id === picked)?.dependsOn ?? [];
  return new Set([picked, ...above, ...below]);
}

function edgesOf(nodes: readonly GraphNode[], path: FailurePath, picked: string | null): Edge[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return nodes.flatMap(({ id, dependsOn }) =>
    dependsOn
      .filter((needed) => ids.has(needed))
      .map((needed) => {
        const key = edgeKey(id, needed);
        const hot = path.edges.has(key);
        const dim = picked !== null && picked !== id && picked !== needed;
        return {
          id: key,
          source: id,
          target: needed,
          className: [
            'edge',
            hot && 'is-hot',
            path.against.has(key) && 'is-against',
            dim && 'is-dim',
          ]
            .filter(Boolean)
            .join(' '),
          zIndex: hot ? 1 : 0,
          // Edges are for the eye: nothing to hit.
          interactionWidth: 0,
          animated: hot,
          markerEnd: {
            type: MarkerType.ArrowClosed,
            markerUnits: 'userSpaceOnUse',
            width: 16,
            height: 16,
            color: hot ? 'var(--crit)' : 'var(--line-2)',
          },
        };
      }),
  );
}
