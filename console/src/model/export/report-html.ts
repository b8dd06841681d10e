import type { RunModel } from '../run-model.js';
import { reportParts, type StepParts } from './report-parts.js';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const plain = (text: string): string => text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);

const STYLE = `body{font:15px/1.55 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#16181d}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.1rem;margin-top:2rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}
dt{color:#5b6170}dd{margin:0;overflow-wrap:anywhere}.cause{border-left:4px solid #b3123a;padding:.2rem 1rem}
.critical{color:#b3261e}.warning{color:#7a5200}li{margin:.35rem 0;overflow-wrap:anywhere}small{color:#5b6170}
pre{margin:.35rem 0;padding:.5rem .75rem;border-radius:6px;background:#f1f2f5;white-space:pre-wrap;overflow-wrap:anywhere}`;

const step = ({ text, notes, command }: StepParts): string =>
  [plain(text), ...notes.map((note) => `<b class="warning">(${plain(note)})</b>`)].join(' ') +
  (command ? `<pre><code>${plain(command)}</code></pre>` : '');

/** The report of a run as one HTML page that needs nothing else: no script, no request. */
export function reportAsHtml(model: RunModel, link: string): string {
  const parts = reportParts(model);
  const list = (items: string[]): string =>
    `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  const section = (title: string, items: string[]): string =>
    items.length > 0 ? `<h2>${title}</h2>${list(items)}` : '';
  const causes = parts.causes.map(
    ({ title, kind, confidence, detail, chain, evidence, grounds }) =>
      `<section class="cause"><h2>Root cause: ${plain(title)}</h2>` +
      `<p>${confidence} sure. ${chain.map(plain).join(' → ')}</p>` +
      `${detail ? `<p>${plain(detail)}</p>` : ''}` +
      `${list([...(kind ? [`Kind: ${kind}`] : []), ...grounds, `Evidence: ${evidence.join(', ')}`].map(plain))}</section>`,
  );
  const findings = parts.findings.map(
    ({ severity, node, title, detail, evidence }) =>
      `<b class="${plain(severity)}">${plain(severity)}</b> ${plain(node)}: ${plain(title)}<br>` +
      `${plain(detail)} <small>${plain(evidence.join(', '))}</small>`,
  );
  const facts = parts.facts.map(
    ([name, value]) => `<dt>${plain(name)}</dt><dd>${plain(value)}</dd>`,
  );
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${plain(parts.title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${plain(parts.title)}</h1><dl>${facts.join('')}<dt>Link</dt><dd>${plain(link)}</dd></dl>`,
    causes.join(''),
    section('Findings', findings),
    section(
      'Unchecked',
      parts.unchecked.map(({ node, reason }) => `${plain(node)}: ${plain(reason)}`),
    ),
    section('Next steps', parts.nextSteps.map(step)),
    '</body></html>',
  ].join('\n');
}
