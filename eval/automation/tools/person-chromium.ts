import { deskChromium } from '../../../test/kit/desk-browsers.ts';
import type { Tool } from '../tool.ts';
import { visitAtDesk } from './desk.ts';

export const personChromiumTools: readonly Tool[] = [
  {
    name: 'a person, Chromium',
    variant: 'keyboard and mouse',
    goal: 'allowed 100 %',
    needs: { packages: [], programs: ['chromium', 'Xvfb', 'xdotool'] },
    visit: (url, place) => visitAtDesk(deskChromium, url, place),
  },
];
