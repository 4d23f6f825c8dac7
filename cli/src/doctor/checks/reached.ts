import { compileHosts } from '@guard/config/matching/host';
import { readingsOf } from '@guard/config/matching/path-readings';
import { compileRoute } from '@guard/gateway';
import type { Answers, Evidence } from '../evidence.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../outcome.ts';
import { type Check, judgeAnswers } from './check.ts';

export const reached: Check = { name: 'reached', judge: judgeRedirects };

function judgeRedirects({ redirects }: Evidence): Outcome {
  const path = redirects.steps.join(' → ');
  switch (redirects.kind) {
    case 'arrived': {
      const { status } = redirects.page;
      const count = redirects.steps.length - 1;
      return ok(count === 0 ? `answers ${status}` : `answers ${status} after ${path}`);
    }
    case 'failed':
      return problem(
        `no answer from ${redirects.steps.at(-1) ?? ''}: ${redirects.why}`,
        'Visitors get no answer either.',
        'Check that Guard and the proxy in front of it run, and that the name leads to them.',
      );
    case 'loop':
    case 'too_long':
      return problem(
        redirects.kind === 'loop' ? `a redirect loop: ${path}` : `more than ten redirects: ${path}`,
        'A browser gives up with an error page. Guard itself redirects only from http to https.',
        'The usual cause is a proxy that ends TLS and tells your site http: set X-Forwarded-Proto there, and name the proxy in trusted_proxies.',
      );
  }
}

export const site: Check = { name: 'site', judge: judgeAnswers(judgeSite) };

function judgeSite({ url, page }: Answers, { settings }: Evidence): Outcome {
  const { host, pathname } = new URL(url);
  if (page.status === 421) {
    return problem(
      `421: Guard serves no site ${host}`,
      'Its visitors get an error instead of your site.',
      'Add the name to hosts of the site, or let the proxy pass the Host header on as it came.',
    );
  }
  if (settings === undefined) return unchecked('no settings to compare with', 'Give --config.');
  const entries = settings.sites.map((value) => ({ hosts: value.hosts, value }));
  const servedSite = compileHosts(entries)(host);
  if (servedSite === undefined) {
    return warning(
      `no site of the settings is called ${host}`,
      'Either Guard there uses other settings than these, or the proxy changes the Host header.',
      'Let the proxy pass Host on as it came; rules and hosts match what the visitor typed.',
    );
  }
  if (settings.observe || servedSite.observe) {
    return warning(
      'observe is on',
      'Nothing is enforced, so most of what follows cannot be seen.',
      'Take observe out when the record shows what you expect.',
    );
  }
  const isProtected = compileRoute(servedSite.protect, servedSite.skip)(readingsOf(pathname));
  return isProtected
    ? ok(`${host} is a site of the settings, and ${pathname} is protected`)
    : unchecked(`${pathname} is not protected`, 'Name a URL that is protected.');
}
