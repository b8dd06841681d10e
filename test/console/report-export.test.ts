import { describe, expect, it } from '@jest/globals';
import { reportAsHtml } from '../../console/src/model/export/report-html.js';
import { reportAsMarkdown } from '../../console/src/model/export/report-markdown.js';
import { marked } from 'marked';
import { findingOf } from '../../console/src/model/view/findings-at.js';
import type { RunModel } from '../../console/src/model/run-model.js';
import { modelOf } from '../support/models/recorded-model.js';

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
  expect(html).not.toMatch(/<(?:img|script|link|iframe|a)\b|url\(|@import/);
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
