import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** WebGL renderers that exist on one system only. Vulkan, OpenGL and SwiftShader exist on all systems. */
const DRAWN_BY = [
  ['windows', /\bDirect3D\d/],
  ['macos', /\bANGLE Metal Renderer\b/],
  ['linux', /\bMesa\b/],
] as const;

/**
 * Finds Chromium with a WebGL renderer that does not exist on the claimed system. The finding is weak, because people
 * change their User-Agent with extensions. A missing renderer or an invented name is no finding. Firefox is not
 * checked, because its privacy modes report another renderer.
 */
export const judgeGraphics: Judge = ({ evidence, claim }) => {
  const renderer = valueOfReading(evidence.readings.graphics)?.renderer;
  if (renderer === undefined || claim.engine !== 'chromium') return undefined;
  const ownRenderer = DRAWN_BY.find(([system]) => system === claim.platform);
  if (!ownRenderer || ownRenderer[1].test(renderer)) return undefined;
  return DRAWN_BY.some(([, other]) => other.test(renderer)) ? 'graphics_mismatch' : undefined;
};
