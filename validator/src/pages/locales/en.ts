import type { Messages } from '../messages.ts';

export const en: Messages = {
  language: 'en',
  direction: 'ltr',
  checking: {
    heading: 'Checking your browser',
    paragraphs: [
      'This takes a moment and needs nothing from you. The page you asked for opens by itself.',
    ],
  },
  waiting:
    'Many checks are coming from your network right now. This page waits a moment and then goes on by itself.',
  working:
    'This site asks for a short calculation right now. Your browser does it in a few seconds, and then the page opens by itself.',
  doubted:
    'An extension or a setting changes what your browser says about itself. So your browser does a short calculation, which takes a few seconds. Then the page opens by itself. After ten minutes this is asked again.',
  resubmission: 'If your browser asks whether to send the form again, please confirm.',
  resend: {
    heading: 'Sending your form',
    paragraphs: [
      'If your browser asks whether to send the form again, confirm: it sends what you entered, files included. If nothing happens, press the button.',
    ],
  },
  elsewhere: {
    heading: 'Please send it once more',
    paragraphs: [
      'Your browser was checked. What you sent came from another site, and for your safety only that site may send it. Go back, then send it again.',
    ],
  },
  retry: {
    heading: 'The check did not finish',
    paragraphs: ['The connection was interrupted. Check that you are online, then try again.'],
  },
  failed: {
    heading: 'Your browser could not be checked',
    paragraphs: [
      'Try again in a few minutes, or with another browser. If it keeps happening, give the reference below to the support of this site.',
    ],
  },
  cookies: {
    heading: 'Cookies are needed here',
    paragraphs: [
      'This site uses one cookie to remember that your browser was checked, and your browser did not keep it. Allow cookies for this site, then try again.',
    ],
  },
  noScript: {
    heading: 'JavaScript is needed here',
    paragraphs: [
      'This site checks browsers with a short script. Allow JavaScript for this site, then reload the page.',
    ],
  },
  blocked: {
    heading: 'Access denied',
    paragraphs: ['This request looked automated, or the rules of this site do not allow it.'],
  },
  adviceHeading: 'If you think this is a mistake',
  advice: [
    'Turn off tools that control your browser or change how it identifies itself.',
    'Disconnect from a VPN or proxy, or use another network.',
    'Ask the support of this site for help, and give the reference below.',
  ],
  rateLimited: {
    heading: 'Too many requests',
    paragraphs: [
      'A lot of requests came from your connection in a short time. Wait a little, then try again.',
    ],
  },
  unreachable: {
    heading: 'This site cannot be reached',
    paragraphs: [
      'The site did not answer. This is not about you or your browser. Try again in a few minutes.',
    ],
  },
  busy: {
    heading: 'This site is busy',
    paragraphs: ['Too many requests are under way right now. Try again in a moment.'],
  },
  tryAgain: 'Try again',
  send: 'Send the form',
  goBack: 'Go back',
  reference: 'Reference',
  support: 'Support',
};
