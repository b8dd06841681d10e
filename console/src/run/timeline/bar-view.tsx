import { memo, type CSSProperties } from 'react';
import type { BarKind } from '../../model/types.js';
import { duration } from '../../ui/format.js';
import type { BarLook } from './bar-look.js';

const BAR_WORDS: Record<BarKind, string> = {
  model: 'Model call',
  tool: 'Tool call',
  wait: 'Waits for the model',
  parked: 'Parked',
  queued: 'In the queue',
};

interface BarViewProps extends BarLook {
  /** Classes of its lane, if calls run side by side. */
  lane: string;
  selected: boolean;
  onPick: (seq: number) => void;
}

/** What an agent did for a while: one element, for there are thousands. */
export const BarView = memo(function BarView(props: BarViewProps) {
  const { kind, look, label, isLabelled, note, attempt, left, width, waiting } = props;
  const took = duration(props.tookMs);
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  const style: CSSProperties & Record<'--first', string> = {
    left: `${left}%`,
    width: `max(3px, ${width}%)`,
    '--first': `${waiting}%`,
  };
  return (
    <button
      tabIndex={-1}
      className={[look, waiting > 0 && 'has-first', props.selected && 'is-on', props.lane]
        .filter(Boolean)
        .join(' ')}
      data-l={isLabelled ? label : undefined}
      style={style}
      onClick={() => props.onPick(props.picks)}
      aria-label={`${BAR_WORDS[kind]} ${label}${again}, ${took}${note && `, ${note}`}`}
      title={`${BAR_WORDS[kind]}: ${label}${again}\n${took}${note && `\n${note}`}`}
    >
      {kind === 'model' && again && <span className="battempt" data-l={attempt} />}
    </button>
  );
});
