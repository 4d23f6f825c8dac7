import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** One permission, asked in two ways: a browser with a window gives one answer. */
export const permissions: Source<'permissions'> = async () => {
  if (!('Notification' in window) || !('permissions' in navigator)) return undefined;
  const { state } = await navigator.permissions.query({ name: 'notifications' });
  return { notification: clip(Notification.permission), query: clip(state) };
};
