import { Icon } from '../ui/icon.js';
import { Modal } from '../ui/modal.js';

const KEYS: [page: string, keys: [key: string, what: string][]][] = [
  [
    'Everywhere',
    [
      ['Ctrl K', 'go anywhere'],
      ['G then R D T C O S', 'runs, diagnose, topologies, conversations, operations, settings'],
      ['T', 'dark or light'],
      ['?', 'this list'],
    ],
  ],
  [
    'Runs',
    [
      ['J K', 'next, previous'],
      ['Enter', 'open'],
      ['/', 'search'],
    ],
  ],
  [
    'A run',
    [
      ['Space', 'replay, pause'],
      ['← →', 'one event back, on (Shift: ten)'],
      ['Home End', 'first event, the end'],
      ['L', 'go live'],
      ['J K', 'next, previous event'],
      ['[ ]', 'previous, next piece of evidence'],
      ['1 2', 'timeline, log'],
      ['/', 'search the log'],
      ['P', 'problems only'],
      ['C', 'the costliest agent; without a cost, the one longest at work'],
      ['R E A', 'report, evidence, ask'],
      ['F', 'fit the graph'],
      ['.', 'copy the link'],
      ['Esc', 'back to the report'],
    ],
  ],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Modal label="Keyboard shortcuts" className="help" onClose={onClose}>
      <header>
        <h2>Keyboard</h2>
        <button className="btn btn-ghost btn-icon" onClick={onClose} aria-label="Close">
          <Icon name="x" size={15} />
        </button>
      </header>
      <div className="help-cols">
        {KEYS.map(([page, keys]) => (
          <section key={page}>
            <h3>{page}</h3>
            <dl>
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    {key
                      .split(' ')
                      .map((part) =>
                        part === 'then' ? <i key={part}>then</i> : <kbd key={part}>{part}</kbd>,
                      )}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
