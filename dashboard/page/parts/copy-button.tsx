import { useEffect, useState } from 'preact/hooks';
import { announce } from './announcer.tsx';
import { SmallButton } from './small-button.tsx';

interface Props {
  readonly text: string;
  readonly label?: string;
}

export function CopyButton({ text, label = 'Copy' }: Props) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setDone(true);
    announce('Copied.');
  };
  return <SmallButton onClick={() => void copy()}>{done ? 'Copied' : label}</SmallButton>;
}

/**
 * Over plain http from another machine, browsers have no clipboard API. In this case the button selects the text and
 * copies the selection.
 */
async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator && isSecureContext) {
    await navigator.clipboard.writeText(text).catch(() => copySelected(text));
  } else copySelected(text);
}

function copySelected(text: string): void {
  const field = document.createElement('textarea');
  field.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is no other way without a secure context
  document.execCommand('copy');
  field.remove();
}
