import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** The permission for notifications, read by two functions. In a browser with a window both give the same answer. */
export const permissions: Source<'permissions'> = async () => {
  if (!('Notification' in window) || !('permissions' in navigator)) return undefined;
  const { state } = await navigator.permissions.query({ name: 'notifications' });
  return { notification: clip(Notification.permission), query: clip(state) };
};
