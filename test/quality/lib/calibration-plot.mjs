// A plot of how often the first suspect was correct (y) against the confidence in the report (x).
// Each point is a tenth of the incidents; its area shows their number.

/** @param reports `{confidence, isRight}` of each incident that has a suspect */
export function calibrationPlot(reports) {
  const bins = Array.from({ length: 10 }, () => ({ count: 0, right: 0, confidence: 0 }));
  for (const { confidence, isRight } of reports) {
    const bin = bins[Math.min(9, Math.floor(confidence * 10))];
    bin.count += 1;
    bin.confidence += confidence;
    if (isRight) bin.right += 1;
  }
  const size = 300;
  const left = 50;
  const top = 20;
  const x = (value) => left + value * size;
  const y = (value) => top + (1 - value) * size;
  const text = (at, to, words, more = '') =>
    `<text x="${at}" y="${to}" font-size="11" ${more}>${words}</text>`;
  const ticks = [0, 0.25, 0.5, 0.75, 1].flatMap((tick) => [
    `<line x1="${x(tick)}" y1="${y(0)}" x2="${x(tick)}" y2="${y(1)}" stroke="#ddd"/>`,
    `<line x1="${x(0)}" y1="${y(tick)}" x2="${x(1)}" y2="${y(tick)}" stroke="#ddd"/>`,
    text(x(tick), y(0) + 16, tick, 'text-anchor="middle"'),
    text(x(0) - 8, y(tick) + 4, tick, 'text-anchor="end"'),
  ]);
  const points = bins
    .filter(({ count }) => count > 0)
    .flatMap(({ count, right, confidence }) => {
      const cx = x(confidence / count);
      const cy = y(right / count);
      return [
        `<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" r="${(2 + 2 * Math.sqrt(count)).toFixed(1)}" fill="#2b6cb0" fill-opacity="0.6"/>`,
        text(cx.toFixed(1), (cy + 4).toFixed(1), count, 'text-anchor="middle" fill="#fff"'),
      ];
    });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size + 80}" height="${size + 70}" font-family="sans-serif">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...ticks,
    `<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#999" stroke-dasharray="4"/>`,
    ...points,
    text(x(0.5), y(0) + 36, 'confidence of the first suspect', 'text-anchor="middle"'),
    text(
      16,
      y(0.5),
      'share that was correct',
      `text-anchor="middle" transform="rotate(-90 16 ${y(0.5)})"`,
    ),
    '</svg>',
  ].join('\n');
}
