import { memo, useRef } from 'react';
import { number } from '../../model/number.js';
import { duration, offset } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';
import { Histogram } from './histogram.js';
import { LivePill } from './live-pill.js';

const SPEEDS = [1, 4, 16];

/**
 * The whole run in a strip: how much happened when, what was found, and which event is looked at.
 */
export const Strip = memo(function Strip() {
  const { at, playing, speed, actions } = useRunView();
  const nextSpeed = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1;
  return (
    <section className={`scrub noprint${at !== null ? ' is-replay' : ''}`} aria-label="Replay">
      <button
        className="btn btn-ghost scrub-play"
        onClick={() => actions.setPlaying(!playing)}
        aria-label={playing ? 'Pause the replay' : 'Replay the run'}
        title="Space"
      >
        <Icon name={playing ? 'pause' : 'play'} size={15} filled={!playing} />
      </button>
      <button
        className="btn btn-ghost scrub-speed"
        onClick={() => actions.setSpeed(nextSpeed)}
        aria-label={`Speed of the replay: ${speed} times`}
      >
        {speed}×
      </button>
      <Track />
      <Position />
      <LivePill />
    </section>
  );
});

function Position() {
  const { model, seq } = useRunView();
  if (model.last === 0) return null;
  return (
    <div className="scrub-at">
      <b>{number(seq)}</b>
      <span>of {number(model.last)}</span>
      <i>{offset(model.timeAt(seq) - model.startTime)} s</i>
    </div>
  );
}

/** Shorter runs are drawn as if they had lasted so long. */
const LEAST_SPAN_MS = 50;
/** So near to the end of the track is the end of the run. */
const END_PART = 0.004;

function Track() {
  const { model, seq, at, axisEnd, actions } = useRunView();
  const dragging = useRef(false);
  const start = model.startTime;
  const span = Math.max(LEAST_SPAN_MS, axisEnd - start);
  const place = (of: number): string => `${((model.timeAt(of) - start) / span) * 100}%`;
  const seek = (to: number | null): void => {
    actions.setPlaying(false);
    actions.seek(to);
  };
  const drag = (x: number, track: HTMLElement): void => {
    const { left, width } = track.getBoundingClientRect();
    const time = start + Math.min(1, Math.max(0, (x - left) / width)) * span;
    seek(time >= model.endTime - span * END_PART ? null : model.seqAt(time));
  };
  return (
    <div
      className="scrub-track"
      onPointerDown={(event) => {
        dragging.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag(event.clientX, event.currentTarget);
      }}
      onPointerMove={(event) => {
        if (dragging.current) drag(event.clientX, event.currentTarget);
      }}
      onPointerUp={() => (dragging.current = false)}
    >
      <Histogram span={span} />
      {model.found.map(({ seq: from, finding }) => (
        <span
          key={`${from} ${finding.title}`}
          className={`scrub-mark m-${finding.severity}${from > seq ? ' is-later' : ''}`}
          style={{ left: place(from) }}
          title={`${finding.node}: ${finding.title}`}
        />
      ))}
      {at !== null && <span className="scrub-handle" style={{ left: place(seq) }} />}
      <input
        type="range"
        className="scrub-range"
        min={1}
        max={Math.max(1, model.last)}
        value={Math.max(1, seq)}
        onChange={(event) => {
          const to = Number(event.target.value);
          seek(to >= model.last ? null : to);
        }}
        aria-label="Event that is looked at"
        aria-valuetext={`Event ${seq} of ${model.last}, ${duration(model.timeAt(seq) - start)} after the start`}
      />
    </div>
  );
}
