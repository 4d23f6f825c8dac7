import { deskFirefox } from '../../../test/kit/desk-browsers.ts';
import type { Tool } from '../tool.ts';
import { visitAtDesk } from './desk.ts';

export const personFirefoxTools: readonly Tool[] = [
  {
    name: 'a person, Firefox',
    variant: 'keyboard and mouse',
    goal: 'allowed 100 %',
    needs: { packages: [], programs: ['firefox-esr', 'Xvfb', 'xdotool'] },
    visit: (url, place) => visitAtDesk(deskFirefox, url, place),
  },
];
