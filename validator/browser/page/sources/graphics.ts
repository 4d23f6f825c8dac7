import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** The name of the WebGL renderer. A machine without a GPU can have none, so a missing renderer is no evidence. */
export const graphics: Source<'graphics'> = () => {
  const gl = document.createElement('canvas').getContext('webgl');
  if (!gl) return undefined;
  const rendererInfo = gl.getExtension('WEBGL_debug_renderer_info');
  const renderer: unknown = gl.getParameter(rendererInfo?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return { renderer: clip(renderer) };
};
