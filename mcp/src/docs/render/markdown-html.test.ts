import { expect, test } from 'vitest';
import { renderMarkdown } from './markdown-html.ts';

test.each([
  ['## A `b`', '<h2 id="a-b"><a href="#a-b">A <code>b</code></a></h2>'],
  ['one\ntwo\n\nthree', '<p>one\ntwo</p>\n<p>three</p>'],
  ['a **b** *c* `**d**`', '<p>a <strong>b</strong> <em>c</em> <code>**d**</code></p>'],
  ['_a_ rate_limit_x (_b_)', '<p><em>a</em> rate_limit_x (<em>b</em>)</p>'],
  ['[a](/b#c)', '<p><a href="/b#c">a</a></p>'],
  ['[a](/b_c) and [d](/e_f)', '<p><a href="/b_c">a</a> and <a href="/e_f">d</a></p>'],
  ['[`a`](/b#c), `[d](/e)`', '<p><a href="/b#c"><code>a</code></a>, <code>[d](/e)</code></p>'],
  ['[a](/b`c`d)', '<p><a href="/b`c`d">a</a></p>'],
  [
    '**a `b` [`c`](/d)**',
    '<p><strong>a <code>b</code> <a href="/d"><code>c</code></a></strong></p>',
  ],
  ['- a\n  b\n- c', '<ul>\n<li>a\nb</li>\n<li>c</li>\n</ul>'],
  ['1. a\n2. b', '<ol>\n<li>a</li>\n<li>b</li>\n</ol>'],
  [
    '```sh\n# a\n\n<b>\n```\nc',
    '<pre tabindex="0" role="group" aria-label="Code: sh"><code><span class="comment"># a</span>\n\n&lt;b&gt;</code></pre>\n<p>c</p>',
  ],
  [
    '```\n# a\n```',
    '<pre tabindex="0" role="group" aria-label="Code: Text"><code># a</code></pre>',
  ],
  [
    '| a | b |\n|---|---|\n| 1 | `x\\|y` |',
    '<div class="table" tabindex="0" role="group" aria-label="Table: a, b"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>\n<tr><td>1</td><td><code>x|y</code></td></tr>\n</tbody></table></div>',
  ],
  [
    '| a | `b` | c |\n|---|---|---|\n| 1 | 2 | 3 |',
    '<div class="table" tabindex="0" role="group" aria-label="Table: a, b, c"><table class="stacks"><thead><tr><th>a</th><th><code>b</code></th><th>c</th></tr></thead><tbody>\n<tr><td>1</td><td data-name="b">2</td><td data-name="c">3</td></tr>\n</tbody></table></div>',
  ],
])('renders %j', (markdown, html) => {
  expect(renderMarkdown(markdown)).toBe(html);
});

test.each([
  '<script>alert(1)</script>',
  '`<script>`',
  '# <script>',
  '```yaml\n"<script>"\n```',
  '```<script>\na\n```',
  '| <script> |\n|---|\n| <script> |',
  '[a](javascript:alert(1))',
  '[a](/x" onclick="alert(1))',
])('the HTML of %j has no script and no attribute', (markdown) => {
  expect(renderMarkdown(markdown)).not.toMatch(/<script|href="javascript|" onclick="/);
});

test.each([
  ['yaml', '- name: "a # b" # c', '- <w>name</w>: <s>"a # b"</s> <c># c</c>'],
  ['yaml', 'match: { path: /a, n: 1 }', '<w>match</w>: { <w>path</w>: /a, <w>n</w>: 1 }'],
  ['yaml', 'url: http://a/#b', '<w>url</w>: http://a/#b'],
  ['json', '{ "a": "b" }', '{ <w>"a"</w>: <s>"b"</s> }'],
  ['sql', "SELECT 'FROM' -- x", "<w>SELECT</w> <s>'FROM'</s> <c>-- x</c>"],
  ['sh', 'curl "x" # y', 'curl <s>"x"</s> <c># y</c>'],
  ['__proto__', 'a # b', 'a # b'],
])('highlights comments, strings and names in %s: %s', (language, code, highlightedHtml) => {
  const rendered = renderMarkdown(`\`\`\`${language}\n${code}\n\`\`\``)
    .replace(/^.*?<code>|<\/code>.*$/g, '')
    .replaceAll(/<span class="(.)[a-z]+">(.*?)<\/span>/g, '<$1>$2</$1>')
    .replaceAll('&quot;', '"');
  expect(rendered).toBe(highlightedHtml);
});

test('a code fence that is never closed ends at the end of the text', () => {
  expect(renderMarkdown('```\na')).toContain('<code>a</code></pre>');
});
