import { isFar } from './far-view.js';

/**
 * How many lines of text a card has room for. Text is as large as it can be read, however far away
 * the graph is, so that a card that is drawn smaller has fewer lines, or has to be higher.
 */

/** Letters of what is below the name: in the scale of the graph, and at least, in pixels. */
const LETTER = { size: 11, least: 10.5 };
const LINE_HEIGHT = 1.2;
/** Above and below the text, in the scale of the graph. */
const PADDING = 12;
/** A name, and what long texts take below it. */
const MOST_LINES = 4;
/** What rounding takes of a line that fits exactly. */
const EXACT = 1e-6;

const lineAt = (zoom: number): number => Math.max(LETTER.size * zoom, LETTER.least) * LINE_HEIGHT;

/** The lines that fit a card, at a scale. */
export const linesIn = (height: number, zoom: number): number =>
  Math.floor(((height - PADDING) * zoom) / lineAt(zoom) + EXACT);

/** The height of a card that all lines fit, at a scale; from afar cards have no text. */
export const heightFor = (zoom: number): number =>
  isFar(zoom) ? 0 : PADDING + (MOST_LINES * lineAt(zoom)) / zoom;
