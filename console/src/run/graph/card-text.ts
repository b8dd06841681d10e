import type { Size } from '../../ui/use-size.js';
import { isFar, isSmall } from './far-view.js';

/**
 * How much text a card has room for. Text is as large as it can be read, however far away the graph
 * is, so that a card that is drawn smaller has less of it, or has to be larger.
 */

/** Letters of what is below the name: in the scale of the graph, and at least, in pixels. */
const LETTER = { size: 11, least: 10.5 };
const LINE_HEIGHT = 1.2;
/** Above and below the text together, in pixels: at least, and if there is room. */
const PADDING = { least: 5.5, wanted: 8 };
/** A name, and what long texts take below it. */
const MOST_LINES = 4;
/** What most names and facts fit, in pixels. */
const WIDTH = 136;
/** Beside a name, in the scale of the graph: symbols, and what is around them. */
const BESIDE = { small: 36, large: 64 };
/** Letters of a name, and how wide one is on average. */
const NAME = { size: 13, least: 11.5, width: 0.53 };

const lineAt = (zoom: number): number => Math.max(LETTER.size * zoom, LETTER.least) * LINE_HEIGHT;

/** The lines that fit a card, at a scale. */
export const linesIn = (height: number, zoom: number): number =>
  Math.floor((height * zoom - PADDING.least) / lineAt(zoom));

/** The letters of a name that fit a line of a card, at a scale. */
export function lettersIn(width: number, zoom: number): number {
  const room = (width - BESIDE[isSmall(zoom) ? 'small' : 'large']) * zoom;
  return Math.floor(room / (Math.max(NAME.size * zoom, NAME.least) * NAME.width));
}

/** The size of a card that all its text fits, at a scale; from afar cards have no text. */
export const sizeFor = (zoom: number): Size =>
  isFar(zoom)
    ? { width: 0, height: 0 }
    : { width: WIDTH / zoom, height: (PADDING.wanted + MOST_LINES * lineAt(zoom)) / zoom };
