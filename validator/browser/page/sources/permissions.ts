import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** One permission, read in two ways. In a browser with a window both ways give the same answer. */
export const permissions: Source<'permissions'> = async () => {
  if (!('Notification' in window) || !('permissions' in navigator)) return undefined;
  const { state } = await navigator.permissions.query({ name: 'notifications' });
  return { notification: clip(Notification.permission), query: clip(state) };
};
