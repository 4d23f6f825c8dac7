import { useEffect, useState } from 'preact/hooks';

/** One live region for the whole page. Screen readers read its announcements aloud. */

let setAnnouncement: (text: string) => void = () => undefined;

export function announce(text: string): void {
  setAnnouncement(text);
}

export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    setAnnouncement = setText;
  }, []);
  return (
    <div class="only-heard" role="status" aria-live="polite">
      {text}
    </div>
  );
}
