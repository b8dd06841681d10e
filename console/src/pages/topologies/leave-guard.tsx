import { useBlocker } from '@tanstack/react-router';
import { Modal } from '../../ui/modal.js';

/** Asks before a text that is not saved is lost with its page. */
export function LeaveGuard({ unsaved }: { unsaved: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => unsaved,
    enableBeforeUnload: unsaved,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Modal label="Leave without saving?" className="question" onClose={blocker.reset}>
      <h2>Leave without saving?</h2>
      <p className="mute">The changes of this topology would be lost.</p>
      <p className="question-answers">
        <button autoFocus className="btn btn-accent" onClick={blocker.reset}>
          Keep editing
        </button>
        <button className="btn btn-danger" onClick={blocker.proceed}>
          Leave
        </button>
      </p>
    </Modal>
  );
}
