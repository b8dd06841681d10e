import { useEffect, useRef, type ReactNode } from 'react';

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
  useEffect(() => {
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
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
