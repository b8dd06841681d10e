import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pushEvent } from '../../console/src/model/fold/fold-event.js';
import { reportFileName } from '../../console/src/run/export/file-name.js';
import { reportAsHtml } from '../../console/src/run/export/report-html.js';
import { reportAsMarkdown } from '../../console/src/run/export/report-markdown.js';
import { marked } from 'marked';
import { causesAt, findingOf, findingsAt } from '../../console/src/model/view/findings-at.js';
import { RunModel } from '../../console/src/model/run-model.js';
import { framesOf } from '../support/streams/encode.js';
import { eventsIn, modelOf } from '../support/models/recorded-model.js';

const LINK = 'http://shop.example/console/runs/1?at=3#7';

/** A recorded run whose root cause has the markup of a target in its texts. */
function hostile(text: string): RunModel {
  const model = modelOf('root-cause');
  const [cause] = model.report?.root_causes ?? [];
  if (!model.report || !cause) throw new Error('the recorded run has a root cause');
  model.report.headline = text;
  cause.title = text;
  return model;
}

describe.each([
  ['HTML', reportAsHtml],
  ['Markdown', reportAsMarkdown],
] as const)('a report as %s', (_, exported) => {
  it('has the headline, the impact, each root cause with its evidence, each finding and step', () => {
    const model = modelOf('root-cause');
    const { report } = model;
    // What the recorded log is too old to have.
    const later = { headline: 'The db is down.', impact: 'Orders fail.' };
    Object.assign(report ?? {}, later, {
      next_steps: [{ text: 'Start the db.', access: 'change' }],
    });
    const text = exported(model, LINK)
      .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&gt;', '>')
      .replaceAll('&lt;', '<');
    expect(report?.root_causes).not.toEqual([]);
    for (const { evidence, confidence } of report?.root_causes ?? []) {
      expect(text).toContain(`${Math.round(confidence * 100)} % sure`);
      for (const seq of evidence) expect(text).toMatch(new RegExp(`#${seq} \\w+`));
    }
    const texts = [
      report?.headline,
      report?.impact,
      LINK,
      ...(report?.findings ?? []).map(({ title }) => title),
      ...(report?.next_steps ?? []).map((step) => step.text),
    ];
    for (const each of texts) expect(text).toContain(each);
  });
});

describe('the next steps of a report', () => {
  const COMMAND =
    'redis-cli -u redis://db:6379 INFO | tr -d \'\\r\' | awk "{print $2 * 3}"\necho ```';
  const model = modelOf('root-cause');
  const [cause] = model.report?.root_causes ?? [];
  const node = cause?.node ?? '';
  Object.assign(model.report ?? {}, {
    next_steps: [
      { text: 'Start it.', node, access: 'change', command: COMMAND, origin: 'agent' },
      { text: `Look at ${model.nameOf(node)}.`, node, access: 'read' },
    ],
  });
  Object.assign(cause ?? {}, { kind: 'connection-refused' });

  it.each([
    ['HTML', reportAsHtml(model, LINK)],
    ['Markdown', marked.parse(reportAsMarkdown(model, LINK), { async: false })],
  ])('have their node, their notes and their command as it is typed (%s)', (_, html) => {
    const code = /<pre><code>([^]*?)<\/code><\/pre>/.exec(html)?.[1] ?? '';
    const typed = code
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    expect(typed.trimEnd()).toBe(COMMAND);
    expect(html).toContain(`${model.nameOf(node)}: Start it.`);
    expect(html).toContain('(changes something)');
    expect(html).toContain('(proposed by a model)');
    expect(html).toMatch(new RegExp(`<li>(?:<p>)?Look at ${model.nameOf(node)}\\.`));
  });

  it('stand behind the kind of the root cause and what was measured at it', () => {
    const detail = findingOf(model, node, model.last)?.detail ?? '';
    expect(detail).not.toBe('');
    for (const html of [reportAsHtml(model, LINK), reportAsMarkdown(model, LINK)]) {
      expect(html).toContain('Kind: connection refused');
      expect(html).toContain('Verdict');
      expect(html).toContain('Root cause found');
    }
    expect(reportAsHtml(model, LINK)).toContain(`<p>${detail}</p>`);
  });
});

it('a report as HTML loads nothing, runs nothing, and shows markup as text', () => {
  const html = reportAsHtml(hostile(`<img src=x onerror="alert('1')">`), LINK);
  expect(html).toContain("default-src 'none'; style-src 'unsafe-inline'");
  expect(html).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;');
  expect(html).not.toMatch(/<(?:img|script|link|iframe)\b|url\(|@import/);
  const links = [...html.matchAll(/<a href="([^"]*)">/g)].map(([, address]) => address ?? '');
  expect(links.filter((address) => !/^#e\d+$|^http:\/\/shop\.example\//.test(address))).toEqual([]);
});

it('a report as Markdown shows markup and line breaks as text', () => {
  const markdown = reportAsMarkdown(
    hostile('[click](http://evil.example)\n# <b>Healthy</b>'),
    LINK,
  );
  expect(markdown.split('\n').filter((line) => /^# /.test(line))).toHaveLength(1);
  expect(marked.parse(markdown)).not.toMatch(/<a href="http:\/\/evil|<b>/);
});

it('a link that is no well-formed URI is kept as it is', () => {
  expect(reportAsMarkdown(modelOf('healthy'), `${LINK}%zz`)).toContain(`<${LINK}%zz>`);
});

it('a link to nothing of the web is shown as text', () => {
  expect(reportAsHtml(modelOf('root-cause'), 'javascript:alert(1)')).not.toContain('href="java');
});

describe('what a report cites', () => {
  const model = new RunModel();
  const file = join(import.meta.dirname, '../fixtures/console/bookshop.log');
  for (const event of eventsIn(framesOf(readFileSync(file, 'utf8')))) pushEvent(model, event);
  const claims = [...causesAt(model, model.last), ...findingsAt(model, model.last)];
  const seqs = [...new Set(claims.flatMap(({ evidence }) => evidence))];

  it('is in the HTML, with its numbers, as it stands in the log, and with a link to its event', () => {
    const html = reportAsHtml(model, LINK);
    expect(seqs.length).toBeGreaterThan(3);
    for (const seq of seqs) {
      expect(html).toContain(`<a href="#e${seq}">#${seq} `);
      expect(html).toContain(`<h3 id="e${seq}">`);
      expect(html).toContain(`<a href="http://shop.example/console/runs/1#${seq}">`);
    }
    // The series at the root cause, whose numbers the report mentions.
    expect(html).toMatch(/<th scope="row">moved<\/th><td>name db_connections_in_use, from 5,/);
    expect(html).toContain('&quot;status&quot;: &quot;');
    expect(html.split('As it stands in the log')).toHaveLength(seqs.length + 1);
  });

  it('is linked in Markdown, too, and follows the report', () => {
    const html = marked.parse(reportAsMarkdown(model, LINK), { async: false });
    for (const seq of seqs) {
      const link = `<a href="http://shop.example/console/runs/1#${seq}">#${seq} `;
      // At each claim, and at the result.
      expect(html.split(link).length).toBeGreaterThan(2);
    }
    expect(html).toContain('<h2>What was measured</h2>');
  });

  it('stands beside a picture of the path, whose words are names, states and facts', () => {
    const [picture = ''] = /<svg [^]*?<\/svg>/.exec(reportAsHtml(model, LINK)) ?? [];
    const [cause] = causesAt(model, model.last);
    for (const text of [
      model.nameOf(cause?.node ?? ''),
      'Root cause',
      'Warning',
      '5 → 92 db_connections_in_use',
    ])
      expect(picture).toContain(`>${text}<`);
    expect(picture).toMatch(/aria-label="Path of the failure\. [^"]*: Root cause/);
    expect(picture.match(/<path /g)?.length).toBeGreaterThan(0);
  });
});

it('a healthy run has no picture of a path', () => {
  expect(reportAsHtml(modelOf('healthy'), LINK)).not.toContain('<svg');
});

it('names a file by what was diagnosed and by the part of the id that other runs do not have', () => {
  const [one, two] = [
    '01a21a40-0000-7000-8000-0000aaaaaaaa',
    '01a21a40-0000-7000-8000-0000bbbbbbbb',
  ];
  expect(reportFileName('Web shop: Zürich / 2', one)).toBe('report-web-shop-zurich-2-aaaaaaaa');
  expect(reportFileName('Web shop', two)).toBe('report-web-shop-bbbbbbbb');
  expect(reportFileName(null, one)).toBe('report-aaaaaaaa');
});
