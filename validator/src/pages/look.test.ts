import { Branding } from '@guard/config/settings/sections/branding';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadBrowserBundle } from '../../browser/build.ts';
import { type NoticeOptions, renderNotice } from './notice-page.ts';
import { asText } from './testing/as-text.ts';
import { chooseLanguage } from './choose-language.ts';
import { plainProgram } from '../challenge/program/programs.ts';
import { createInterstitial, type InterstitialOptions } from './interstitial.ts';
import { compileLook, type Look } from './look.ts';

const interstitial = createInterstitial();
const render = (options: InterstitialOptions) => asText(interstitial(options));
const noticeOf = (options: NoticeOptions) => asText(renderNotice(options));
const branding = Branding.parse({
  name: 'Smith & <Sons> {{nonce}}',
  accent: '#0a7d4f',
  background: '#eee',
  background_dark: '#101010',
  support: 'help@shop.example',
});
const logo = { path: '', dataUrl: 'data:image/svg+xml;base64,PHN2Zy8+' };

const challengePage = (look: Look) =>
  render({
    program: plainProgram(loadBrowserBundle().interstitial),
    ticket: 'ticket',
    sheet: '',
    session: 'session',
    uploadUrl: '/.guard/verify',
    reference: 'K7QM2X9D',
    messages: chooseLanguage('en'),
    form: 'none',
    look,
  });
const blockPage = (look: Look) =>
  noticeOf({ reference: 'K7QM2X9D', notice: 'blocked', acceptLanguage: 'en', look });

describe('branding', () => {
  test.each([
    ['challenge', challengePage],
    ['block', blockPage],
  ])('the %s page shows name, colours and support, all escaped', (_, page) => {
    const { html } = page(compileLook(branding));
    expect(html).toContain('Smith &amp; &lt;Sons&gt; &#123;&#123;nonce}}');
    expect(html).toContain(
      '--guard-accent:#0a7d4f;--guard-on-accent:#ffffff;--guard-ground:#eeeeee',
    );
    expect(html).toContain('--guard-ground:#101010');
    expect(html).toContain(
      'Support: <a href="mailto:help@shop.example?subject=Reference%20K7QM2X9D"',
    );
  });

  test.each([
    ['challenge', challengePage],
    ['block', blockPage],
  ])('with a logo, the policy of the %s page additionally allows only data: images', (_, page) => {
    const policyOf = (look: Look) => page(look).headers['Content-Security-Policy'] ?? '';
    expect(policyOf(compileLook(branding))).not.toContain('img-src data:');
    const withLogo = compileLook({ ...branding, logo });
    expect(policyOf(withLogo)).toContain('; img-src data:');
    expect(policyOf(withLogo)).not.toMatch(/unsafe|\*/);
    expect(page(withLogo).html).toContain(`<img src="${logo.dataUrl}" alt="">`);
  });

  test('two organisations have separate looks', () => {
    const [firstLook, secondLook] = [compileLook({ name: 'One' }), compileLook({ name: 'Other' })];
    expect([challengePage(firstLook).html, blockPage(firstLook).html].join()).not.toContain(
      'Other',
    );
    expect([challengePage(secondLook).html, blockPage(secondLook).html].join()).not.toContain(
      '<span>One',
    );
  });
});

describe('a template for the challenge page', () => {
  const html =
    '<!doctype html><html lang="{{lang}}" dir="{{dir}}"><head>{{head}}<style nonce="{{nonce}}">h2{}</style></head><body><h2>Ours</h2>{{challenge}}</body></html>';
  const look = compileLook(branding, { html });

  test('contains everything that the check needs, and has the policy of the built-in page', () => {
    const { html: page, headers } = challengePage(look);
    const nonce = /'nonce-([^']+)'/.exec(headers['Content-Security-Policy'] ?? '')?.[1] ?? '';
    expect(page).toContain('<html lang="en" dir="ltr">');
    expect(page).toContain('<h2>Ours</h2>');
    expect(page).toContain('data-ticket="ticket"');
    expect(page).toContain('<noscript>');
    expect(page).not.toContain('{{');
    for (const [tag] of page.matchAll(/<(?:script|style)\b[^>]*>/g)) {
      expect(tag).toContain(`nonce="${nonce}"`);
    }
    expect(headers['Content-Security-Policy']).not.toMatch(/unsafe|\*/);
    expect(gzipSync(page).length).toBeLessThan(15_000);
  });

  test('does not change the block page', () => {
    expect(blockPage(look).html).not.toContain('<h2>Ours</h2>');
  });
});
