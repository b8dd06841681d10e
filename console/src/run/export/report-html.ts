import type { RunModel } from '../../model/run-model.js';
import type { CitedResult } from './cited-results.js';
import { linkTo, plain } from './html.js';
import { pathPicture } from './path-picture.js';
import { linkToEvent, reportParts, type Cite, type StepParts } from './report-parts.js';

const STYLE = `body{font:15px/1.55 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#16181d}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.1rem;margin-top:2rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}
dt{color:#5b6170}dd{margin:0;overflow-wrap:anywhere}.cause{border-left:4px solid #b3123a;padding:.2rem 1rem}
.critical{color:#b3261e}.warning{color:#7a5200}li{margin:.35rem 0;overflow-wrap:anywhere}small{color:#5b6170}
pre{margin:.35rem 0;padding:.5rem .75rem;border-radius:6px;background:#f1f2f5;white-space:pre-wrap;overflow-wrap:anywhere}
a{color:#1d4ed8}svg{max-width:100%;height:auto;margin:1rem 0}h3{font-size:1rem;margin:1.5rem 0 .25rem}h3:target{background:#fff3bf}
table{border-collapse:collapse;margin:.35rem 0}th,td{text-align:left;vertical-align:top;padding:.15rem 1rem .15rem 0;overflow-wrap:anywhere}
th{font-weight:400;color:#5b6170}`;

const step = ({ text, notes, command }: StepParts): string =>
  [plain(text), ...notes.map((note) => `<b class="warning">(${plain(note)})</b>`)].join(' ') +
  (command ? `<pre><code>${plain(command)}</code></pre>` : '');

const list = (items: string[]): string =>
  `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
const section = (title: string, items: string[]): string =>
  items.length > 0 ? `<h2>${title}</h2>${list(items)}` : '';

/** Links to the results that the page has itself, else to the events of the run. */
const cites = (evidence: readonly Cite[], held: ReadonlySet<number>, link: string): string =>
  evidence
    .map(({ seq, text }) => linkTo(held.has(seq) ? `#e${seq}` : linkToEvent(link, seq), text))
    .join(', ');

function cited(result: CitedResult, link: string): string {
  const { seq, tool, node, facts, summary, issues, numbers, json } = result;
  const title = `#${seq} ${tool}${node ? `, ${node}` : ''}`;
  const rows = numbers.map(
    ([name, value]) => `<tr><th scope="row">${plain(name)}</th><td>${plain(value)}</td></tr>`,
  );
  return [
    `<h3 id="e${seq}">${plain(title)}</h3>`,
    `<p>${plain(summary)} <small>${plain(facts)}. ${linkTo(linkToEvent(link, seq), 'Open in the console')}</small></p>`,
    issues.length > 0
      ? list(
          issues.map(
            ({ severity, title: what, detail }) =>
              `<b class="${severity}">${severity}</b> ${plain(what)}<br>${plain(detail)}`,
          ),
        )
      : '',
    `<table>${rows.join('')}</table>`,
    `<details><summary>As it stands in the log</summary><pre>${plain(json)}</pre></details>`,
  ].join('');
}

/**
 * The report of a run as one HTML page that needs nothing else: no script, no request. It has what
 * its claims cite.
 */
export function reportAsHtml(model: RunModel, link: string): string {
  const parts = reportParts(model);
  const held = new Set(parts.cited.map(({ seq }) => seq));
  const causes = parts.causes.map(
    ({ title, kind, confidence, detail, chain, evidence, grounds }) =>
      `<section class="cause"><h2>Root cause: ${plain(title)}</h2>` +
      `<p>${confidence} sure. ${chain.map(plain).join(' → ')}</p>` +
      `${detail ? `<p>${plain(detail)}</p>` : ''}` +
      `${list([...(kind ? [`Kind: ${kind}`] : []), ...grounds].map(plain).concat(`Evidence: ${cites(evidence, held, link)}`))}</section>`,
  );
  const findings = parts.findings.map(
    ({ severity, node, title, detail, evidence }) =>
      `<b class="${plain(severity)}">${plain(severity)}</b> ${plain(node)}: ${plain(title)}<br>` +
      `${plain(detail)} <small>${cites(evidence, held, link)}</small>`,
  );
  const facts = parts.facts.map(
    ([name, value]) => `<dt>${plain(name)}</dt><dd>${plain(value)}</dd>`,
  );
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${plain(parts.title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${plain(parts.title)}</h1><dl>${facts.join('')}<dt>Link</dt><dd>${linkTo(link, link)}</dd></dl>`,
    pathPicture(model),
    causes.join(''),
    section('Findings', findings),
    section(
      'Unchecked',
      parts.unchecked.map(({ node, reason }) => `${plain(node)}: ${plain(reason)}`),
    ),
    section('Next steps', parts.nextSteps.map(step)),
    parts.cited.length > 0 ? '<h2>What was measured</h2>' : '',
    ...parts.cited.map((result) => cited(result, link)),
    '</body></html>',
  ].join('\n');
}
