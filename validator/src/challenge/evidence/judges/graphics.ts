import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** What WebGL is drawn by on one system only. Vulkan, OpenGL and SwiftShader are on all of them. */
const DRAWN_BY = [
  ['windows', /\bDirect3D\d/],
  ['macos', /\bANGLE Metal Renderer\b/],
  ['linux', /\bMesa\b/],
] as const;

/**
 * Chromium whose WebGL is drawn by what another system has, and not the claimed one. Weak: people
 * change their agent by an extension. No WebGL says nothing, a name that an extension made up neither,
 * and Firefox is left out: its privacy modes name another renderer.
 */
export const judgeGraphics: Judge = ({ evidence, claim }) => {
  const renderer = known(evidence.readings.graphics)?.renderer;
  if (renderer === undefined || claim.engine !== 'chromium') return undefined;
  const own = DRAWN_BY.find(([system]) => system === claim.platform);
  if (!own || own[1].test(renderer)) return undefined;
  return DRAWN_BY.some(([, other]) => other.test(renderer)) ? 'graphics_mismatch' : undefined;
};
