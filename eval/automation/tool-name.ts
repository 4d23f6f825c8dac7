import type { Tool } from './tool.ts';

/** One word for a tool and its variant, fit for paths and URLs. */
export function fileNameOf({ name, variant }: Pick<Tool, 'name' | 'variant'>): string {
  return `${name} ${variant}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
