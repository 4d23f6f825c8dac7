import { ok, type Outcome, problem } from '../finding.ts';
import type { Evidence } from '../evidence.ts';
import type { Check } from './check.ts';

export const reached: Check = { name: 'reached', judge };

function judge({ trail }: Evidence): Outcome {
  const way = trail.steps.join(' → ');
  switch (trail.kind) {
    case 'arrived': {
      const { status } = trail.page;
      const redirects = trail.steps.length - 1;
      return ok(redirects === 0 ? `answers ${status}` : `answers ${status} behind ${way}`);
    }
    case 'failed':
      return problem(
        `no answer from ${trail.steps.at(-1) ?? ''}: ${trail.why}`,
        'Visitors get none either.',
        'See that the proxy in front and Guard run, and that the name leads to them.',
      );
    case 'loop':
    case 'too_long':
      return problem(
        trail.kind === 'loop' ? `a redirect loop: ${way}` : `more than ten redirects: ${way}`,
        'A browser gives up with an error page. Guard never redirects, so the proxy or your site does.',
        'Mostly a proxy that ends TLS tells your site http: set X-Forwarded-Proto there, and name the proxy in trusted_proxies.',
      );
  }
}
