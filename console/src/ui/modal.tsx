import { useLayoutEffect, useRef, type ReactNode } from 'react';

interface ModalProps {
  label: string;
  className: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A modal dialog of the browser's own: it keeps the focus, is closed by Escape and gives the focus
 * back. Libraries for this insert a style element, which the content security policy forbids.
 */
export function Modal({ label, className, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect closes the dialog before React removes it: a dialog that is removed does not
  // return the focus.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The browser would focus the first element that can have it, which is the frame of the list of
    // results.
    shown?.querySelector('input')?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      onClose={onClose}
      // The close event of the browser may come after the next key: Ctrl+K right after Escape would
      // be lost.
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
