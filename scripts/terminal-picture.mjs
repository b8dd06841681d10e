// `node scripts/terminal-picture.mjs OUT.svg COMMAND [ARGUMENT…]`: runs a command and draws the end
// of its output, with colours, as an SVG. `npm run picture` draws the demo for the README.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const [out, command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error('Usage: node scripts/terminal-picture.mjs OUT.svg COMMAND [ARGUMENT…]');
  process.exit(2);
}
const MOST_LINES = 60;
const CHARACTER = 8.4;
const LINE = 19;
const MARGIN = 16;
const BAR = 34;
const GROUND = '#11151c';
const INK = '#d5dbe5';
const COLOURS = {
  31: '#ff6b6b',
  32: '#51cf66',
  33: '#fcc419',
  34: '#4dabf7',
  35: '#cc8dff',
  36: '#3bc9db',
};

const child = spawn(command, args, {
  env: { ...process.env, FORCE_COLOR: '1' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let text = '';
child.stdout.setEncoding('utf8').on('data', (chunk) => {
  text += chunk;
  process.stdout.write(chunk);
});
child.once('close', () => {
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, draw(endOf(text.trimEnd().split('\n'))));
});

/** The last paragraphs that have room. */
function endOf(lines) {
  const last = lines.slice(-MOST_LINES);
  return lines.length > last.length ? last.slice(last.indexOf('') + 1) : last;
}

function draw(lines) {
  const columns = Math.max(60, ...lines.map((line) => line.replace(/\u001b\[[\d;]*m/g, '').length));
  const width = Math.ceil(columns * CHARACTER) + 2 * MARGIN;
  const height = lines.length * LINE + BAR + MARGIN;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${MARGIN + 6 + index * 20}" cy="17" r="6" fill="${fill}"/>`,
  );
  const rows = lines.map(
    (line, index) =>
      `<text x="${MARGIN}" y="${BAR + (index + 1) * LINE - 5}" xml:space="preserve">${spans(line)}</text>`,
  );
  const font = "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${font}" font-size="14" fill="${INK}" role="img">
<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>
${[...dots, ...rows].join('\n')}
</svg>
`;
}

/** The pieces of a line with their style. Only colours, bold and dim are known. */
function spans(line) {
  let style = '';
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((piece) => {
      const codes = /^\u001b\[([\d;]*)m$/.exec(piece)?.[1].split(';').map(Number);
      if (codes === undefined) return piece === '' ? '' : `<tspan${style}>${escape(piece)}</tspan>`;
      for (const code of codes) style = code === 0 ? '' : style + attribute(code);
      return '';
    })
    .join('');
}

function attribute(code) {
  if (code === 1) return ' font-weight="700"';
  if (code === 2) return ' opacity="0.6"';
  return COLOURS[code] === undefined ? '' : ` fill="${COLOURS[code]}"`;
}

const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
