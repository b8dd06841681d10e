import { useEffect, useRef } from 'react';
import { useTheme } from '../../ui/theme.js';
import { useSize, type Size } from '../../ui/use-size.js';
import { useRunView } from '../run-context.js';
import { Bins, LAYERS } from './bins.js';

const BAR = 4;
/** Shortest time between two drawings of a live histogram. */
const RARE_MS = 180;
const LATER_ALPHA = 0.22;
const ALPHA = 0.85;
/** Kept free above the bars for the findings. */
const HEADROOM = 10;

/** How many events of which kind came when, on a canvas: it would be thousands of elements. */
export function Histogram({ span }: { span: number }) {
  const { model, seq, at, live } = useRunView();
  const theme = useTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const bins = useRef(new Bins());
  const size = useSize(canvas);
  const drawn = useRef({ key: '', at: 0 });
  const colours = useRef<{ theme?: string; values: string[] }>({ values: [] });
  useEffect(() => {
    const element = canvas.current;
    if (!element || !size) return;
    const key = `${model.last} ${Math.round(span)} ${size.width} ${theme} ${seq}`;
    const now = performance.now();
    if (drawn.current.key === key) return;
    if (live && at === null && now - drawn.current.at < RARE_MS) return;
    drawn.current = { key, at: now };
    const count = Math.ceil(size.width / BAR);
    const layers = bins.current.update(model, span, count);
    const cut = at === null ? Infinity : ((model.timeAt(seq) - model.startTime) / span) * count;
    // To read styles costs a layout: once for a theme.
    if (colours.current.theme !== theme) colours.current = { theme, values: coloursNow() };
    draw(element, size, { layers, cut, colours: colours.current.values });
  });
  return <canvas ref={canvas} aria-hidden="true" />;
}

const coloursNow = (): string[] => {
  const style = getComputedStyle(document.documentElement);
  return LAYERS.map((name) => style.getPropertyValue(name).trim());
};

interface Bars {
  layers: readonly Float32Array[];
  colours: readonly string[];
  /** Bins after this one are of events that are later than the one looked at. */
  cut: number;
}

function draw(canvas: HTMLCanvasElement, { width, height }: Size, bars: Bars): void {
  const { layers, colours, cut } = bars;
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(ratio, ratio);
  const sums = (layers[0] ?? new Float32Array()).map((_, bin) =>
    layers.reduce((sum, layer) => sum + (layer[bin] ?? 0), 0),
  );
  const most = Math.max(1, ...sums);
  for (const [bin, sum] of sums.entries()) {
    if (sum === 0) continue;
    const tall = Math.max(2, Math.sqrt(sum / most) * (height - HEADROOM));
    context.globalAlpha = bin > cut ? LATER_ALPHA : ALPHA;
    let foot = height - 1;
    for (const [i, layer] of layers.entries()) {
      const part = ((layer[bin] ?? 0) / sum) * tall;
      context.fillStyle = colours[i] ?? '';
      context.fillRect(bin * BAR, foot - part, BAR - 1, part);
      foot -= part;
    }
  }
}
