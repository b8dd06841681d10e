import { expect, it } from '@jest/globals';
import { RunModel } from '../../console/src/model/run-model.js';
import { causeText, claimText } from '../../console/src/model/view/cause-text.js';

const cause = { node: 'db', title: 'full', confidence: 0.9, evidence: [3] };
const basis = ['it is full since 08:54', 'the alert is about it'];

it('says reasons once, as a list, if the detail is no more than them', () => {
  const detail = 'it is full since 08:54; the alert is about it. Against it: it is read only.';
  expect(causeText({ ...cause, basis }, detail)).toEqual({
    detail: 'Against it: it is read only.',
    reasons: basis,
    inPlace: true,
  });
  expect(causeText({ ...cause, basis }, `${basis.join('; ')}.`).detail).toBe('');
});

it('keeps a detail that says something else', () => {
  expect(causeText({ ...cause, basis }, '8 of 8 MiB used')).toEqual({
    detail: '8 of 8 MiB used',
    reasons: basis,
    inPlace: false,
  });
  expect(causeText(cause)).toEqual({ detail: '', reasons: [], inPlace: false });
});

it('names the node of a claim once', () => {
  const model = new RunModel();
  const named = { node: 'db', title: 'db: full' };
  expect(claimText(model, named)).toBe('db: full');
  expect(claimText(model, { ...named, title: 'full' })).toBe('db: full');
});
