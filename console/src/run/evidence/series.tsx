import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../../ui/theme.js';
import { number } from '../../model/number.js';
import { moment } from '../../ui/format.js';
import type { SeriesData } from './series-data.js';

const HEIGHT = 110;
const FONT = '11px Inter, sans-serif';
const DAY_S = 86_400;
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DIGITS = 4;
const short = (value: number): string => number(Number(value.toPrecision(DIGITS)));

/** A series as a line, with baseline, onset and threshold drawn over it. */
export function Series({ label, times, values, baseline, onset, threshold }: SeriesData) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const flat = (value: number | undefined) => times.map(() => value ?? null);
    const axis = {
      stroke: colour('--t3'),
      grid: { stroke: colour('--line') },
      ticks: { size: 3 },
      font: FONT,
    };
    const ofDay = (times.at(-1) ?? 0) - (times[0] ?? 0) < DAY_S ? TIME : DATE;
    const labels = (_: uPlot, at: number[]) => at.map((time) => ofDay.format(time * 1_000));
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false },
        axes: [
          { ...axis, size: 26, space: 60, values: labels },
          { ...axis, size: 44, space: 24 },
        ],
        series: [
          {},
          { stroke: colour('--tool'), width: 1.6 },
          { stroke: colour('--t3'), dash: [4, 4], width: 1 },
          { stroke: colour('--warn'), width: 1.4 },
        ],
        hooks: { draw: [(chart) => drawOnset(chart, onset, colour('--crit'))] },
      },
      [times, values, flat(baseline), flat(threshold)],
      element,
    );
    return () => plot.destroy();
  }, [times, values, baseline, onset, threshold, theme]);
  const said = [
    baseline !== undefined && `usually ${short(baseline)}`,
    threshold !== undefined &&
      `at ${threshold < (baseline ?? -Infinity) ? 'least' : 'most'} ${short(threshold)}`,
    onset !== undefined && `changed ${moment(onset * 1_000)}`,
  ];
  const text = said.filter(Boolean).join(', ');
  const last = values.findLast((value) => value !== null);
  return (
    <figure className="series">
      <figcaption>
        <b>{label}</b> {text && <small className="mute">{text}</small>}
      </figcaption>
      <div ref={box} role="img" aria-label={`${label}: ${last ?? 'nothing'} at last; ${text}`} />
    </figure>
  );
}

function drawOnset(chart: uPlot, onset: number | undefined, colour: string): void {
  if (onset === undefined) return;
  const x = chart.valToPos(onset, 'x', true);
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.setLineDash([3, 3]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
