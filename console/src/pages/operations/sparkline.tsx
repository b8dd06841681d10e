import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../../ui/theme.js';

const HEIGHT = 44;

/** The last values of a figure as a line, without axes. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const theme = useTheme();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const colour = getComputedStyle(element).getPropertyValue('--accent').trim();
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        padding: [4, 0, 0, 0],
        scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most)] } },
        axes: [{ show: false }, { show: false }],
        series: [
          {},
          {
            stroke: colour,
            fill: `color-mix(in oklab, ${colour}, transparent 88%)`,
            // A single value would be half of a circle at the edge.
            points: { show: false },
          },
        ],
      },
      [[], []],
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [theme]);
  useEffect(() => {
    plot.current?.setData([values.map((_, i) => i), [...values]]);
  }, [values, theme]);
  return <div className="spark" ref={place} aria-hidden="true" />;
}
