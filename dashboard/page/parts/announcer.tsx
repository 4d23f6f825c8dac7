import { useEffect, useState } from 'preact/hooks';

/** One live region for the whole page. Screen readers read its announcements aloud. */

let tell: (text: string) => void = () => undefined;

export function announce(text: string): void {
  tell(text);
}

export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    tell = setText;
  }, []);
  return (
    <div class="only-heard" role="status" aria-live="polite">
      {text}
    </div>
  );
}
