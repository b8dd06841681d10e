import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  OWN,
  SPOKEN,
  WELL,
  ask,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

/** The runs 1 to 3 of the shop, with these reports. */
const withReports =
  (...reports: object[]) =>
  (tool: string, args: JsonObject): Json => {
    const told = tell(tool, args) as JsonObject;
    const report = reports.find((_, i) => args['run_id'] === id(i + 1));
    return tool === 'get_run' && report ? ({ ...told, report } as unknown as Json) : told;
  };
const REPAIRED = withReports(WELL, BROKEN, WELL);
const ENDED =
  'Payments was last found unhealthy at 2026-11-22 08:20:00 UTC (run 01900000-0000-7000-8000-000000000002) and was healthy at 2026-11-22 08:30:02 UTC (run 01900000-0000-7000-8000-000000000003): it recovered in between.';

describe('when a node broke', () => {
  it.each(['when did payments break?', 'since when is payments broken?'])(
    'is said with its end if it has recovered: %s',
    (question) =>
      expect(ask(question, { said: SPOKEN, answer: REPAIRED }).text).toContain(
        `Payments was healthy at 2026-11-22 08:10:02 UTC (run ${id(1)}) and unhealthy at 2026-11-22 08:20:00 UTC: it began in between. ${ENDED}\nRun ${id(3)}`,
      ),
  );

  it('is said by the telemetry, if the report has the time', () => {
    const onset = '2026-11-22T08:14:00.000Z';
    const [cause] = BROKEN.root_causes;
    const dated = { ...BROKEN, root_causes: [{ ...cause, onset }] };
    const { text } = ask('since when is payments broken?', {
      answer: withReports(dated, dated, dated),
    });
    expect(text).toMatch(
      /^The telemetry of Payments shows trouble since 2026-11-22 08:14:00 UTC\. Payments was unhealthy at 2026-11-22 08:10:00 UTC already \(run .*\); no diagnosis of this topology saw it healthy before\.$/m,
    );
  });

  it('is not known of a node that no diagnosis found broken', () =>
    expect(ask('when did the catalog break?').text).toMatch(
      /^Nothing was found to be wrong with Catalog in the last 3 diagnoses of topology 7, since 2026-11-22 08:10:00 UTC\.\nRun /,
    ));
});

describe('when a node recovered', () => {
  it.each(['when did payments recover?', 'when was payments fixed?', 'when did it come back?'])(
    'lies between two diagnoses: %s',
    (question) =>
      expect(ask(question, { said: SPOKEN, answer: REPAIRED }).text).toMatch(
        new RegExp(`^${ENDED.replaceAll(/[()]/g, '\\$&')}`),
      ),
  );

  it('is not known if the latest diagnosis found it unhealthy', () =>
    expect(ask('when did payments recover?').text).toMatch(
      /^Payments was still unhealthy at 2026-11-22 08:30:02 UTC \(run .*3\), and no later diagnosis shows whether it has recovered\.\nRun .*\nThat was then; for what is now, ask me to "diagnose topology 7"\.$/,
    ));
});

describe('in the chat of a topology, when a node recovered', () => {
  const answered = (status: string) => (tool: string, args: JsonObject) =>
    tool === 'http_probe'
      ? { status, summary: `it is ${status}`, measurements: {}, issues: [] }
      : tell(tool, args);
  const STILL = 'Payments was still unhealthy at 2026-11-22 08:30:02 UTC (run ' + id(3) + ')';
  const said = (now: string, question: string) =>
    ask(question, { topology: OWN, answer: answered('ok'), now }).text;

  it('is what is measured now', () => {
    const now = (status: string) =>
      ask('when did payments recover?', { topology: OWN, answer: answered(status) }).text;
    expect(now('ok')).toContain(
      `${STILL}, and was measured to be well just now: it recovered in between.`,
    );
    expect(now('failed')).toContain(`${STILL}, and is so now: that was measured just now.`);
  });

  it.each(['is it fixed?', 'is payments up?'])(
    'is when the chat has measured it: %s',
    (question) => {
      const before = said('2026-11-22T12:00:00Z', question);
      const { text, called } = ask('when did payments recover?', {
        topology: OWN,
        said: [...SPOKEN, before],
      });
      expect(text).toContain(
        `${STILL} and healthy at 2026-11-22 12:00:00 UTC, when this conversation measured it: it recovered in between.`,
      );
      expect(called).not.toContain('http_probe');
      expect(
        ask('since when is payments down?', { topology: OWN, said: [...SPOKEN, before] }).text,
      ).toContain('and healthy at 2026-11-22 12:00:00 UTC');
    },
  );

  it.each(['what is the root cause?', 'what caused it?', 'why did payments fail?'])(
    'is said with the findings of the diagnosis before: %s',
    (question) => {
      const before = said('2026-11-22T12:00:00Z', 'is payments up?');
      expect(ask(question, { topology: OWN, said: [...SPOKEN, before] }).text).toMatch(
        /^No longer wrong: Payments\. That was measured at 2026-11-22 12:00:00 UTC; the diagnosis of 2026-11-22 08:30:02 UTC had found:\n/,
      );
    },
  );
});

describe('why a node failed that has recovered', () => {
  it.each([
    'why did payments fail?',
    'what was wrong with payments?',
    'what went wrong with payments?',
  ])('is answered by its last outage: %s', (question) => {
    const { text } = ask(question, { said: SPOKEN, answer: REPAIRED });
    expect(text).toMatch(
      /^Nothing was found to be wrong with Payments at 2026-11-22 08:30:02 UTC\. The last diagnosis that found something:\nPayments is the root cause: connection refused/,
    );
  });

  it('is not said where the question is about now', () =>
    expect(ask('is payments ok?', { said: SPOKEN, answer: REPAIRED }).text).not.toContain(ENDED));
});

describe('how long it was so', () => {
  it.each(['how long did it last?', 'how long did the outage last?', 'did it last long?'])(
    'is bounded by the diagnoses: %s',
    (question) => {
      expect(ask(question, { said: SPOKEN, answer: REPAIRED }).text).toMatch(
        /^Payments was unhealthy for at most 20 minutes, by the diagnoses\. Payments was healthy at /,
      );
    },
  );
});

describe('what recovered', () => {
  it('is listed with when', () =>
    expect(ask('what recovered?', { said: SPOKEN, answer: REPAIRED }).text).toMatch(
      /^Recovered:\n- Checkout was last found unhealthy .*\n- Payments was last found unhealthy .*\nRun /,
    ));

  it('is nothing, as far as is known, if the latest diagnosis still found a failure', () =>
    expect(ask('what recovered?', { said: SPOKEN }).text).toMatch(
      /^No node recovered in the last 3 diagnoses of topology 7, since .*\nStill unhealthy in the latest diagnosis that checked them: Checkout and Payments\.\nRun .*\nThat was then;/,
    ));

  it('is measured now in the chat of a topology whose latest diagnosis found a failure', () => {
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'http_probe'
        ? { status: 'ok', summary: 'answered 200 OK', measurements: {}, issues: [] }
        : tell(tool, args);
    expect(ask('what recovered?', { topology: OWN, answer }).text).toMatch(
      /^No longer wrong: Checkout and Payments\. Nothing is wrong with what was measured\.\nMeasured at 2026-11-22 13:00:00 UTC, compared with the diagnosis of 2026-11-22 08:30:02 UTC\.\nMeasured just now:/,
    );
  });

  it('is what an earlier diagnosis found wrong, also if something else is still wrong', () => {
    const CHECKOUT = { ...BROKEN, root_causes: [], findings: BROKEN.findings.slice(1) };
    const answer = withReports(WELL, BROKEN, CHECKOUT);
    expect(ask('what recovered?', { topology: OWN, answer }).text).toMatch(
      /^Recovered:\n- Payments was last found unhealthy at .*: it recovered in between\.\nStill wrong: Checkout /,
    );
    expect(ask('what recovered?', { topology: OWN }).text).toMatch(
      /^Nothing recovered\.\nStill wrong: /,
    );
  });
});
