import type { RunModel } from '../../model/run-model.js';
import type { Health } from '../../model/types.js';
import { factAt } from '../../model/view/fact-at.js';
import { causesAt } from '../../model/view/findings-at.js';
import { chainAt, edgeKey, pathAt } from '../../model/view/path-at.js';
import { HEALTH_WORDS } from '../../ui/words.js';
import { layoutOf, type Place } from '../graph/layout.js';
import { plain } from './html.js';

/** Of a longer path only the lines from the outermost nodes to the causes are drawn. */
const MOST_NODES = 24;
const CARD = { width: 224, height: 62 };
const SPACING = { card: CARD, nodes: 18, ranks: 34 };
/** So many letters fit into a card. */
const NAME_LENGTH = 30;
const FACT_LENGTH = 38;

/** Fill, border and ink of a card. */
const COLOURS: Record<Health, [string, string, string]> = {
  unknown: ['#ffffff', '#8a91a1', '#16181d'],
  unchecked: ['#ffffff', '#8a91a1', '#16181d'],
  ok: ['#ffffff', '#1c7a55', '#16181d'],
  warning: ['#fdf3d8', '#a66a00', '#16181d'],
  critical: ['#fde8e6', '#b3261e', '#16181d'],
  root: ['#b3123a', '#b3123a', '#ffffff'],
};

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** The way of the failure as a picture that needs nothing else; empty if there is no root cause. */
export function pathPicture(model: RunModel): string {
  const seq = model.last;
  const path = pathAt(model, seq);
  const chains = causesAt(model, seq).flatMap(({ node }) => chainAt(model, node, seq));
  const shown = new Set(path.nodes.size > MOST_NODES ? chains : [...path.nodes, ...chains]);
  const nodes = [...model.nodes.values()].filter(({ id }) => shown.has(id));
  if (nodes.length === 0) return '';
  const { at, width, height } = layoutOf(nodes, { spacing: SPACING });
  const edges = nodes.flatMap(({ id, dependsOn }) =>
    dependsOn.flatMap((needed) => {
      const [from, to] = [at.get(id), at.get(needed)];
      if (!from || !to) return [];
      return edge(from, to, path.edges.has(edgeKey(id, needed)));
    }),
  );
  const cards = nodes.map((node) => {
    const health = model.health(node.id, seq);
    return card(at.get(node.id) ?? { x: 0, y: 0 }, {
      name: cut(node.name, NAME_LENGTH),
      state: HEALTH_WORDS[health],
      fact: cut(factAt(model, node.id, seq), FACT_LENGTH),
      colours: COLOURS[health],
      isKnown: health !== 'unknown' && health !== 'unchecked',
    });
  });
  const told = nodes.map(({ id, name }) => `${name}: ${HEALTH_WORDS[model.health(id, seq)]}`);
  return (
    `<svg role="img" aria-label="${plain(`Path of the failure. ${told.join(', ')}.`)}" ` +
    `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `font-family="system-ui,sans-serif">${edges.join('')}${cards.join('')}</svg>`
  );
}

interface Card {
  name: string;
  state: string;
  fact: string;
  colours: readonly [string, string, string];
  isKnown: boolean;
}

function card({ x, y }: Place, { name, state, fact, colours, isKnown }: Card): string {
  const [fill, line, ink] = colours;
  const dash = isKnown ? '' : ' stroke-dasharray="4 3"';
  const row = (top: number, size: number, text: string, more = ''): string =>
    `<text x="${x + 10}" y="${y + top}" font-size="${size}" fill="${ink}"${more}>${plain(text)}</text>`;
  return (
    `<rect x="${x}" y="${y}" width="${CARD.width}" height="${CARD.height}" rx="8" fill="${fill}" stroke="${line}" stroke-width="1.5"${dash}/>` +
    row(20, 12.5, name, ' font-weight="600"') +
    row(37, 11, state) +
    row(53, 10.5, fact)
  );
}

function edge(from: Place, to: Place, isOnPath: boolean): string {
  const [x1, y1] = [from.x + CARD.width, from.y + CARD.height / 2];
  const [x2, y2] = [to.x, to.y + CARD.height / 2];
  const bend = Math.max(16, (x2 - x1) / 2);
  const [colour, width] = isOnPath ? ['#b3261e', 2] : ['#b9bec9', 1.2];
  return `<path d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" fill="none" stroke="${colour}" stroke-width="${width}"/>`;
}
