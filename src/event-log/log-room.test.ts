import { describe, expect, it } from '@jest/globals';
import { isReserveLeft, roomIn } from './log-room.js';

const bounds = { logMaxEvents: 101, logMaxBytes: 110_000, eventMaxBytes: 10_000 };

describe('the room of a log', () => {
  it('is what LOG_MAX_EVENTS leaves, less the event that ends the run', () => {
    expect(roomIn(bounds, { events: 40, bytes: 4_000 })).toBe(60);
  });

  it('is what LOG_MAX_BYTES leaves for events of the same size, if that is less', () => {
    expect(roomIn(bounds, { events: 10, bytes: 50_000 })).toBe(10);
    expect(roomIn(bounds, { events: 10, bytes: 105_000 })).toBe(0);
  });

  it('is the reserve from four fifths on', () => {
    expect(isReserveLeft(21, 79)).toBe(false);
    expect(isReserveLeft(20, 80)).toBe(true);
    expect(isReserveLeft(0, 100)).toBe(true);
  });
});
