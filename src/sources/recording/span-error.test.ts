import { describe, expect, it } from '@jest/globals';
import { errorOf } from './span-error.js';

const end = { failed: undefined, message: undefined, attributes: {}, events: [] };

describe('the error of a span', () => {
  it('is the message of its status and what was thrown, each once', () => {
    const thrown = { 'exception.type': 'NullReferenceException', 'exception.message': 'no offer' };
    expect(errorOf({ ...end, failed: true, message: 'refused', events: [thrown, thrown] })).toBe(
      'refused; NullReferenceException: no offer',
    );
    expect(errorOf({ ...end, failed: true })).toBe('');
  });

  it('is read from the logs of OpenTracing', () => {
    const events = [{ event: 'error', message: 'pool is empty' }, { message: 'a note' }];
    expect(errorOf({ ...end, failed: true, events })).toBe('pool is empty');
  });

  it.each([
    [{ 'http.response.status_code': '503' }, 'HTTP 503'],
    [{ 'http.status_code': '500' }, 'HTTP 500'],
    [{ 'rpc.grpc.status_code': '14' }, 'gRPC 14'],
    [{ 'http.status_code': '404' }, undefined],
    [{ 'rpc.grpc.status_code': '5' }, undefined],
    [{}, undefined],
  ])('is read from the answer %j if no status was set', (attributes, error) => {
    expect(errorOf({ ...end, attributes })).toBe(error);
  });

  it('is absent if the status says that all is well', () => {
    expect(errorOf({ ...end, failed: false, attributes: { 'http.status_code': '500' } })).toBe(
      undefined,
    );
  });
});
