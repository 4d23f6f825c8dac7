import { Window } from 'happy-dom';
import { plainUserAgent } from '../chromium-setup.ts';
import type { Tool, Visit } from '../tool.ts';
import { domVisit } from './dom-visit.ts';
import { correcting, measureBoxes } from './patched-dom.ts';

const visitWith = (patched: boolean): Visit =>
  domVisit(async ({ url, html, cookies, fetch }, uploaded) => {
    const window = new Window({
      url,
      settings: {
        enableJavaScriptEvaluation: true,
        suppressInsecureJavaScriptEnvironmentWarning: true,
        navigator: { userAgent: plainUserAgent() },
        navigation: { disableMainFrameNavigation: true },
      },
    });
    window.console.error = () => undefined;
    for (const cookie of cookies) window.document.cookie = `${cookie}; path=/`;
    Object.defineProperty(window, 'fetch', { value: patched ? correcting(fetch) : fetch });
    if (patched) measureBoxes(window);
    window.document.write(html);
    await uploaded;
    await window.happyDOM.close();
  });

export const happyDomTools: readonly Tool[] = [false, true].map((patched) => ({
  name: 'happy-dom',
  variant: `Chromium's headers, runs scripts${patched ? ', boxes and readings corrected' : ''}`,
  goal: 'stopped ≥ 90 %',
  needs: { packages: ['happy-dom'], programs: ['chromium'] },
  visit: visitWith(patched),
}));
