import { expect, test } from 'vitest';
import { whyNotRecorded } from './why-not-recorded.ts';

test('for a database that cannot start, the text names the cause and the folder', () => {
  const message = 'The analytics database cannot start: another Guard uses its folder.';
  expect(whyNotRecorded({ state: 'failing', message }, '/var/lib/guard')).toBe(
    `${message} Its folder is /var/lib/guard. No events are stored until you mend this. Guard tries again by itself.`,
  );
});

test.each([
  undefined,
  { state: 'ready' as const },
  { state: 'away' as const, message: 'starting' },
])('there is no text about %j', (condition) => {
  expect(whyNotRecorded(condition, '/var/lib/guard')).toBeUndefined();
});
