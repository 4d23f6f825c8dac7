import type { Messages } from '../messages.ts';

export const zhHans: Messages = {
  language: 'zh-Hans',
  direction: 'ltr',
  checking: {
    heading: '正在检查您的浏览器',
    paragraphs: ['只需片刻，您无需进行任何操作。您要访问的页面会自动打开。'],
  },
  waiting: '目前有许多检查来自您的网络。此页面会稍等片刻，然后自动继续。',
  working: '本网站目前要求进行一次简短的计算。您的浏览器会在几秒内完成，随后页面会自动打开。',
  doubted:
    '某个扩展程序或设置改变了浏览器对自身的描述。因此，浏览器需要进行一次简短的计算，耗时几秒。随后页面会自动打开。十分钟后会再次要求。',
  resubmission: '如果浏览器询问是否重新提交表单，请确认。',
  resend: {
    heading: '正在提交您的表单',
    paragraphs: [
      '如果浏览器询问是否重新提交表单，请确认：它会发送您填写的内容，包括文件。如果没有反应，请按下按钮。',
    ],
  },
  elsewhere: {
    heading: '请再提交一次',
    paragraphs: [
      '您的浏览器已通过检查。您提交的内容来自另一个网站，为了您的安全，只能由该网站提交。请返回后重新提交。',
    ],
  },
  retry: { heading: '检查未完成', paragraphs: ['连接已中断。请确认您已联网，然后重试。'] },
  failed: {
    heading: '无法检查您的浏览器',
    paragraphs: [
      '请几分钟后重试，或换用其他浏览器。如果问题仍然存在，请将下方的参考代码告知本网站的客服。',
    ],
  },
  cookies: {
    heading: '此处需要 Cookie',
    paragraphs: [
      '本网站使用一个 Cookie 来记住您的浏览器已通过检查，但您的浏览器没有保存它。请允许本网站使用 Cookie，然后重试。',
    ],
  },
  noScript: {
    heading: '此处需要 JavaScript',
    paragraphs: [
      '本网站使用一段简短的脚本检查浏览器。请允许本网站使用 JavaScript，然后重新加载页面。',
    ],
  },
  blocked: {
    heading: '访问被拒绝',
    paragraphs: ['此请求看起来是自动发出的，或者不符合本网站的规则。'],
  },
  adviceHeading: '如果您认为这是误判',
  advice: [
    '请关闭控制浏览器或更改其身份标识的工具。',
    '请断开 VPN 或代理，或换用其他网络。',
    '请联系本网站的客服，并提供下方的参考代码。',
  ],
  rateLimited: {
    heading: '请求过多',
    paragraphs: ['短时间内从您的网络发出了大量请求。请稍候再试。'],
  },
  unreachable: {
    heading: '无法访问此网站',
    paragraphs: ['网站没有响应。这与您或您的浏览器无关。请在几分钟后重试。'],
  },
  busy: { heading: '此网站正忙', paragraphs: ['当前处理的请求过多。请稍后重试。'] },
  tryAgain: '重试',
  send: '提交表单',
  goBack: '返回',
  reference: '参考代码',
  support: '客服',
};
