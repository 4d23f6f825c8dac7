import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../../test/kit/test-folder.ts';
import { Branding, ChallengeTemplate, MAX_LOGO_BYTES, MAX_TEMPLATE_BYTES } from './branding.ts';
import { CARD, contrast } from '../values/colour.ts';
import { templateFault } from '../values/template-fault.ts';

const folder = testFolder();

function writeTestFile(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('colours that people can read', () => {
  test.each(['#000', '#2b5fd9', '#0a7d4f', '#d32f2f', '#5b2be0', '#767676', '#1b2029'])(
    'WCAG 2.2, 1.4.3 and 1.4.11: %s has enough contrast to both cards, and its text has enough contrast too',
    (colour) => {
      const { accent } = Branding.parse({ accent: colour });
      for (const scheme of ['light', 'dark'] as const) {
        const shade = accent?.[scheme] ?? { accent: '', onAccent: '' };
        expect(contrast(shade.accent, CARD[scheme])).toBeGreaterThanOrEqual(3);
        expect(contrast(shade.accent, shade.onAccent)).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  test('the contrast of black and white is 21, and the contrast of a colour with itself is 1', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
    expect(contrast('#2b5fd9', '#2b5fd9')).toBe(1);
  });
});

describe('a logo', () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);

  test.each([
    ['a.png', png, 'image/png'],
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['b.svg', '<?xml version="1.0"?>\n<!-- by hand -->\n<svg/>', 'image/svg+xml'],
  ])('%s becomes a data: URL', (name, content, type) => {
    const { logo } = Branding.parse({ logo: writeTestFile(name, content) });
    expect(logo?.dataUrl).toBe(`data:${type};base64,${Buffer.from(content).toString('base64')}`);
  });

  test.each([
    ['page.svg', '<html><svg/></html>'],
    ['photo.jpg', Buffer.from([0xff, 0xd8, 0xff])],
    ['large.svg', `<svg>${' '.repeat(MAX_LOGO_BYTES)}</svg>`],
  ])('%s is refused', (name, content) => {
    expect(Branding.safeParse({ logo: writeTestFile(name, content) }).success).toBe(false);
  });
});

describe('help', () => {
  test.each([
    ['help@shop.example', 'help@shop.example', 'mailto:help@shop.example'],
    ['https://shop.example/help/', 'shop.example/help', 'https://shop.example/help/'],
  ])('%s is shown as %s', (support, label, href) => {
    expect(Branding.parse({ support }).support).toEqual({ label, href });
  });

  test.each(['javascript:alert(1)', 'https://user:pw@shop.example/', 'a@b?cc=everybody@x', 'help'])(
    '%s is refused',
    (support) => {
      expect(Branding.safeParse({ support }).success).toBe(false);
    },
  );
});

describe('a challenge page of the user', () => {
  const pageAround = (body: string, head = '{{head}}') =>
    `<html>\n<head>${head}</head>\n<body>${body}</body>\n</html>`;

  test('is used unchanged when it has no fault', () => {
    const html = pageAround(
      '<!-- {{lang}} --><img src="data:image/png;base64,AAAA" alt="a > b"><a href="https://shop.example/">x</a>{{challenge}}',
      '{{head}}<style nonce="{{nonce}}">a{}</style>',
    );
    expect(ChallengeTemplate.parse(writeTestFile('good.html', html)).html).toBe(html);
  });

  test.each([
    ['{{challenge}}{{other}}', 3, 20, 'there is no placeholder {{other}}'],
    ['{{challenge}}{{challenge}}', 3, 20, '{{challenge}} may stand only once'],
    ['', 4, 8, '{{challenge}} is missing; it belongs into <body>'],
    ['<!-- {{challenge}} -->', 3, 7, 'this comment hides a placeholder that is needed'],
    ['{{challenge}}\n  <p onclick="x()">', 4, 3, 'onclick= cannot be used'],
    ['{{challenge}}<p title=">" OnClick=x()>', 3, 20, 'onclick= cannot be used'],
    ['{{challenge}}<p style="color:red">', 3, 20, 'style= cannot be used'],
    ['{{challenge}}<style>a{}</style>', 3, 20, '<style> needs nonce="{{nonce}}"'],
    ['{{challenge}}<SCRIPT nonce="{{nonce}}">1</SCRIPT>', 3, 20, '<script> cannot be used'],
    ['{{challenge}}<img src=/logo.png>', 3, 20, '<img src> needs a data:image/… URL'],
    ['{{challenge}}<link rel=stylesheet href=x>', 3, 20, '<link> cannot be used'],
    ['{{challenge}}<form action=x>', 3, 20, '<form> cannot be used'],
    ['{{challenge}}<base href=x>', 3, 20, '<base> cannot be used'],
    ['{{challenge}}<a href=" javascript:x">', 3, 20, 'javascript: cannot be used in href='],
    ['{{challenge}}<meta http-equiv=refresh>', 3, 20, '<meta http-equiv> cannot be used'],
    ['<p title="{{challenge}}">', 3, 7, 'a placeholder cannot stand in title='],
  ])('%j is refused, and the message names its position', (body, line, column, message) => {
    const fault = templateFault(pageAround(body));
    expect(fault).toMatchObject({ line, column });
    expect(fault?.message).toContain(message);
  });

  test('has a size limit, and a message about it names the position', () => {
    const refusal = ChallengeTemplate.safeParse(
      writeTestFile('bad.html', pageAround('{{challenge}}<form>')),
    );
    expect(refusal.error?.issues[0]?.message).toContain('its line 3, column 20: <form>');
    const large = pageAround(`{{challenge}}${' '.repeat(MAX_TEMPLATE_BYTES)}`);
    expect(ChallengeTemplate.safeParse(writeTestFile('large.html', large)).success).toBe(false);
  });
});
