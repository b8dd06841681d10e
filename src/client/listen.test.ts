import { describe, expect, it } from '@jest/globals';
import { Client, listen, type StreamFailure } from './index.js';
import { frame, stream, stubService } from '../../test/support/processes/stub-service.js';

const serve = stubService();

describe('listen', () => {
  const failedFrame = (sequence: number) =>
    frame(sequence)
      .replace(/^event: .*/, 'event: lifecycle.failed')
      .replace('{"n":', '{"error":"It broke.","code":"AI_ERROR","retryable":false,"n":');
  const heard = async (client: Client, withErrors: boolean, abortAfterEvent?: AbortController) => {
    const signal = abortAfterEvent?.signal;
    const received: unknown[] = [];
    const onStreamError = (failure: StreamFailure) => void received.push(failure);
    await listen(
      client.follow('r', { signal, attempts: 2 }),
      {
        onEvent: (event) => {
          received.push(event.name === 'error' ? event.error : event.name);
          setImmediate(() => abortAfterEvent?.abort());
        },
        ...(withErrors && { onStreamError }),
        onDone: () => void received.push('done'),
      },
      signal,
    );
    return received;
  };

  it('calls back for events, for failures and for the end', async () => {
    const { client } = await serve((_, response) =>
      stream(response).end(frame(1) + failedFrame(2)),
    );
    expect(await heard(client, true)).toEqual([
      'lifecycle.started',
      { message: 'It broke.', code: 'AI_ERROR', retryable: false },
      'done',
    ]);
    expect(await heard(client, false)).toEqual(['lifecycle.started', 'lifecycle.failed', 'done']);
  });

  it('reports a service that does not come back', async () => {
    let times = 0;
    const { client } = await serve((_, response) =>
      ++times === 1 ? void stream(response).end(frame(1)) : void response.destroy(),
    );
    const failure = {
      message: expect.stringMatching(/No answer from/) as unknown,
      code: 'UNAVAILABLE',
      retryable: true,
    };
    expect(await heard(client, true)).toEqual(['lifecycle.started', failure, 'done']);
    expect(await heard(client, false)).toEqual([failure, 'done']);
  });

  it('ends without a failure when its signal fires', async () => {
    const { client } = await serve((_, response) => void stream(response).write(frame(1)));
    expect(await heard(client, true, new AbortController())).toEqual(['lifecycle.started', 'done']);
  });
});
