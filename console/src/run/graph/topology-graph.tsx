import { ReactFlow, useReactFlow, ReactFlowProvider, type NodeTypes } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useEffect, useMemo, useRef, useState, type CSSProperties } from 'react';
import type { Health } from '../../model/types.js';
import type { FailurePath } from '../../model/view/path-at.js';
import { useSize, type Size } from '../../ui/use-size.js';
import { lettersIn, linesIn } from './card-text.js';
import { farClasses, namedFromAfar, unhealthyOf } from './far-view.js';
import { FIT_GRAPH } from './fit-event.js';
import { edgesOf, neighboursOf } from './graph-edges.js';
import type { GraphNode } from './graph-node.js';
import { GraphTools, More } from './graph-tools.js';
import { GroupList } from './group-list.js';
import { layoutOf, shapeOf, stretch, type Place } from './layout.js';
import { NodeCard, type CardNode, type NodeState } from './node-card.js';
import { pickCards } from './pick-cards.js';
import { useCards } from './use-cards.js';
import {
  isUpright,
  MOST_ZOOM,
  outsideOf,
  roomIn,
  viewportOf,
  type Focus,
  type Viewport,
} from './viewport.js';

const NODE_TYPES: NodeTypes = { card: NodeCard };
/** In larger topologies only the pulse of a tool that is under way moves. */
const CROWD = 24;
/** Of so many, all names are shown from afar, too. */
const FEW = 16;
/** What a press on "more" moves the graph by, in parts of its panel. */
const STEP = 0.7;
const STEP_MS = 200;
/** What is taken for the size of a panel that is not seen: it may be printed all the same. */
const UNSEEN: Size = { width: 700, height: 300 };
/** What the list of nodes that are not drawn leaves of a panel at least. */
const DRAWN_PART = 0.66;

export interface TopologyGraphProps {
  nodes: readonly GraphNode[];
  healthOf: (id: string) => Health;
  stateOf: (id: string) => NodeState;
  path: FailurePath;
  picked: string | null;
  onPick: (id: string | null) => void;
  /** What is drawn of a topology that is too large, and what a narrow panel shows. */
  focus: Focus;
}

/** A topology with the health of its nodes, and the path of the failure. */
export function TopologyGraph(props: TopologyGraphProps) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  return (
    <div className="graph-box" ref={box}>
      <PartOfGraph {...props} panel={size ?? UNSEEN} />
    </div>
  );
}

/** The cards of a topology, or of a part of it, and a list of the nodes that are not drawn. */
function PartOfGraph({ panel, ...props }: TopologyGraphProps & { panel: Size }) {
  const { nodes, healthOf, picked, focus, onPick } = props;
  const unhealthy = unhealthyOf(nodes.map(({ id }) => ({ id, health: healthOf(id) })));
  const matter = JSON.stringify([focus, unhealthy]);
  const shape = shapeOf(nodes);
  const { cards, groups } = useMemo(
    () =>
      pickCards({
        nodes,
        unhealthy: unhealthy.map(({ id }) => id),
        focus,
        picked,
        panel: besideTools(
          { width: panel.width, height: panel.height * DRAWN_PART },
          isUpright(panel),
        ),
      }),
    [shape, matter, picked, panel],
  );
  return (
    <>
      <ReactFlowProvider>
        <Graph {...props} nodes={cards} all={nodes} isUpright={isUpright(panel)} />
      </ReactFlowProvider>
      {groups.length > 0 && (
        <GroupList groups={groups} healthOf={healthOf} picked={picked} onPick={onPick} />
      )}
    </>
  );
}

/** What the buttons take of a panel: at its right, or below if it is upright. */
const TOOLS = 30;

const besideTools = ({ width, height }: Size, upright: boolean): Size =>
  upright ? { width, height: height - TOOLS } : { width: width - TOOLS, height };

function classOf(nodes: number, zoom: number): string {
  return ['graph', nodes > CROWD && 'is-crowded', nodes <= FEW && 'is-sparse', ...farClasses(zoom)]
    .filter(Boolean)
    .join(' ');
}

interface GraphProps extends Omit<TopologyGraphProps, 'healthOf'> {
  /** With the nodes that are not drawn. */
  all: readonly GraphNode[];
  isUpright: boolean;
}

function Graph(props: GraphProps) {
  const { nodes, all, stateOf, path, picked, onPick, focus, isUpright: downwards } = props;
  const box = useRef<HTMLDivElement>(null);
  const inside = useSize(box);
  const size = useMemo(() => inside && besideTools(inside, downwards), [inside, downwards]);
  const shape = shapeOf(nodes);
  // Laid out again only if nodes or dependences change, not if their health does.
  const base = useMemo(() => layoutOf(nodes, { downwards }), [shape, downwards]);
  const inView = JSON.stringify(focus);
  const layout = useMemo(
    () =>
      size ? stretch(base, roomIn(size), MOST_ZOOM, viewportOf(base, size, focus).zoom) : base,
    [base, size, inView],
  );
  const names = useMemo(() => new Map(all.map(({ id, name }) => [id, name])), [all]);
  const near = useMemo(() => neighboursOf(nodes, picked), [shape, picked]);
  const [view, setView] = useState<Viewport>({ x: 0, y: 0, zoom: 1 });
  const { zoom } = view;
  const letters = lettersIn(layout.card.width, zoom);
  const placeOf = (id: string): Place => layout.at.get(id) ?? { x: 0, y: 0 };
  const named = namedFromAfar(
    nodes.map(({ id, name }) => ({ id, name, health: stateOf(id).health, at: placeOf(id) })),
    layout.card,
    zoom,
  );
  const cards = useCards(
    { nodes, size: layout.card, downwards, letters },
    stateOf,
    ({ id, dependsOn }) => ({
      position: placeOf(id),
      named: named.has(id),
      picked: id === picked,
      dim: near !== null && !near.has(id),
      onPath: path.nodes.has(id),
      needs: dependsOn.map((needed) => names.get(needed) ?? needed),
    }),
  );
  const way = [...path.edges, '|', ...path.against].join();
  const edges = useMemo(() => edgesOf(nodes, path, picked), [shape, way, picked]);
  const flow = useReactFlow();
  useEffect(() => {
    if (!size) return;
    const fit = (): void => {
      const viewport = viewportOf(layout, size, focus);
      void flow.setViewport(viewport);
      setView(viewport);
    };
    fit();
    addEventListener(FIT_GRAPH, fit);
    return () => removeEventListener(FIT_GRAPH, fit);
  }, [flow, layout, size, inView]);
  const move = (x: number, y: number): void => {
    if (!size) return;
    const to = { ...view, x: view.x + x * size.width * STEP, y: view.y + y * size.height * STEP };
    void flow.setViewport(to, { duration: STEP_MS });
    setView(to);
  };
  const scale: CSSProperties & Record<'--unzoom' | '--lines', number> = {
    '--unzoom': 1 / zoom,
    '--lines': linesIn(layout.card.height, zoom),
  };
  return (
    <div
      className={`${classOf(nodes.length, zoom)}${downwards ? ' is-upright' : ''}`}
      style={scale}
      ref={box}
    >
      <ReactFlow<CardNode>
        nodes={cards}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onNodeClick={(_, { id }) => onPick(id === picked ? null : id)}
        onPaneClick={() => onPick(null)}
        onMove={(_, to) => setView((old) => (old.zoom === to.zoom ? old : { ...to }))}
        onMoveEnd={(_, to) => setView({ ...to })}
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
      {size && <More outside={outsideOf(layout, view, size)} onMove={move} />}
      <GraphTools />
    </div>
  );
}
