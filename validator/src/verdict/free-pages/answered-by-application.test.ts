import { expect, test } from 'vitest';
import { decisions, detectingValidator, times } from '../../../../test/kit/product/decisions.ts';
import { pictureOfPage, scriptFetch, visit } from '../../../../test/kit/visitors/visitors.ts';

test.each([
  ['GET', '/w/api.php/x.js?action=parse&format=json&callback=f'],
  ['GET', '/x.js?rest_route=/wp/v2/posts&_jsonp=f'],
  ['GET', '/x.png?p=&feed=rss2'],
  // In this WordPress request, the route is in the body, and not in the URL.
  ['POST', '/x.js?_method=GET&_jsonp=f'],
  // MediaWiki and DokuWiki return the source of a page as text/css or text/plain.
  ['GET', '/wiki/x.css?curid=1&action=raw&ctype=text/css'],
  ['GET', '/x.css?id=start&do=export_raw'],
])(
  '%s %s looks like a file, but an application answers it: it is counted as a page until the visitor has loaded a page',
  async (method, path) => {
    const guard = detectingValidator();
    const url = `https://shop.example${path}`;
    const request = { method, url, headers: pictureOfPage };
    const decided = await decisions(guard, 6, () => visit(request));
    expect(decided).toEqual([...times(5, 'allow'), 'redirect']);
    const ip = '84.115.99.9';
    await guard.ask(visit({ ip }));
    expect(await decisions(guard, 60, () => visit({ ...request, ip }))).toEqual(times(60, 'allow'));
    const preflight = () => visit({ url, method: 'OPTIONS', headers: scriptFetch });
    expect(await decisions(guard, 20, preflight)).toEqual(times(20, 'allow'));
  },
);
