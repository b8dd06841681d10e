import type { Notice } from '../../model/types.js';
import { Disclosure } from '../../ui/disclosure.js';
import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { SystemCard } from '../../ui/system-card.js';
import { useRunView } from '../run-context.js';
import { Part } from './part.js';

/** What happened beside the diagnosis: warnings one by one, waits for providers in sum. */
export function OnTheWay() {
  const { model, seq, endTime, actions } = useRunView();
  const notices = model.notices.filter((notice) => notice.seq <= seq);
  if (notices.length === 0) return null;
  const waits = notices.filter(({ untilTime }) => untilTime !== null);
  return (
    <Part title="On the way" count={notices.length}>
      {byCode(notices.filter(({ untilTime }) => untilTime === null)).map(([code, cards]) => (
        <Cards key={code} code={code} cards={cards} />
      ))}
      {[...Map.groupBy(waits, ({ model: name, code }) => `${name} ${code}`)].map(([key, list]) => (
        <Waits key={key} waits={list} now={endTime} onPick={actions.pick} />
      ))}
    </Part>
  );
}

interface NoticeCard {
  first: Notice;
  times: number;
}

/** Notices by their code; those that say the same, of several agents or again, are one card. */
function byCode(notices: readonly Notice[]): [string, NoticeCard[]][] {
  const groups = Map.groupBy(notices, ({ code, message }) => `${code} ${message}`);
  const cards = [...groups.values()].flatMap((group) =>
    group[0] ? [{ first: group[0], times: group.length }] : [],
  );
  return [...Map.groupBy(cards, ({ first }) => first.code)];
}

/** Of more than so many of a kind, the latest is shown, and the others fold out. */
const OPEN = 2;

function Cards({ code, cards }: { code: string; cards: NoticeCard[] }) {
  const latest = cards.at(-1);
  if (cards.length <= OPEN || !latest)
    return cards.map((card) => <Card key={card.first.seq} {...card} />);
  return (
    <div className="kin">
      <Card {...latest} />
      <Disclosure title={`Earlier: ${code}`} count={cards.length - 1}>
        {cards.slice(0, -1).map((card) => (
          <Card key={card.first.seq} {...card} />
        ))}
      </Disclosure>
    </div>
  );
}

function Card({ first, times }: NoticeCard) {
  const { model, actions } = useRunView();
  return (
    <button className="bare" onClick={() => actions.pick(first.seq)}>
      <SystemCard name={`system.${first.level}`} data={model.at(first.seq)?.data} times={times} />
    </button>
  );
}

interface WaitsProps {
  waits: Notice[];
  /** By the log's clock. */
  now: number;
  onPick: (seq: number) => void;
}

function Waits({ waits, now, onPick }: WaitsProps) {
  const [first] = waits;
  if (!first) return null;
  const total = waits.reduce((sum, { time, untilTime }) => sum + (untilTime ?? time) - time, 0);
  const goesOn = waits.some(({ untilTime }) => (untilTime ?? 0) > now);
  const often = waits.length === 1 ? 'once' : `${waits.length} times`;
  return (
    <button className="bare" onClick={() => onPick(first.seq)}>
      <div className="sys sys-retry">
        <Icon name="replay" size={15} />
        <div>
          <p>
            {goesOn ? 'Waits' : 'Waited'} {often} for the provider of “{first.model || 'a model'}”,{' '}
            {duration(total)} in total over all agents
          </p>
          <p className="sys-meta">
            <code>{first.code}</code>
            <span>{goesOn ? 'is tried again' : 'retried, and continued'}</span>
          </p>
        </div>
      </div>
    </button>
  );
}
