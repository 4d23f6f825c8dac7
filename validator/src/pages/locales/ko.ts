import type { Messages } from '../messages.ts';

export const ko: Messages = {
  language: 'ko',
  direction: 'ltr',
  checking: {
    heading: '브라우저를 확인하고 있습니다',
    paragraphs: [
      '잠시면 끝나며 아무것도 하실 필요가 없습니다. 요청하신 페이지가 자동으로 열립니다.',
    ],
  },
  resubmission: '브라우저에서 양식을 다시 제출할지 물으면 확인을 눌러 주세요.',
  resend: {
    heading: '양식을 보내고 있습니다',
    paragraphs: [
      '브라우저에서 양식을 다시 제출할지 물으면 확인을 눌러 주세요. 입력하신 내용이 파일까지 함께 전송됩니다. 아무 일도 일어나지 않으면 버튼을 눌러 주세요.',
    ],
  },
  elsewhere: {
    heading: '한 번 더 보내 주세요',
    paragraphs: [
      '브라우저 확인이 끝났습니다. 보내신 내용은 다른 사이트에서 왔으며, 안전을 위해 그 사이트에서만 보낼 수 있습니다. 뒤로 돌아가 다시 보내 주세요.',
    ],
  },
  retry: {
    heading: '확인을 마치지 못했습니다',
    paragraphs: ['연결이 끊어졌습니다. 인터넷에 연결되어 있는지 확인한 후 다시 시도해 주세요.'],
  },
  failed: {
    heading: '브라우저를 확인할 수 없습니다',
    paragraphs: [
      '몇 분 후에, 또는 다른 브라우저로 다시 시도해 주세요. 문제가 계속되면 아래 참조 코드를 이 사이트의 고객 지원에 알려 주세요.',
    ],
  },
  cookies: {
    heading: '쿠키가 필요합니다',
    paragraphs: [
      '이 사이트는 브라우저를 확인했음을 기억하기 위해 쿠키 하나를 사용하는데, 브라우저가 이를 저장하지 않았습니다. 이 사이트의 쿠키를 허용한 후 다시 시도해 주세요.',
    ],
  },
  noScript: {
    heading: 'JavaScript가 필요합니다',
    paragraphs: [
      '이 사이트는 짧은 스크립트로 브라우저를 확인합니다. 이 사이트의 JavaScript를 허용한 후 페이지를 새로 고쳐 주세요.',
    ],
  },
  blocked: {
    heading: '접근이 거부되었습니다',
    paragraphs: ['이 요청은 자동으로 보낸 것으로 보이거나 이 사이트의 규칙에서 허용되지 않습니다.'],
  },
  adviceHeading: '잘못된 판단이라고 생각되면',
  advice: [
    '브라우저를 제어하거나 식별 정보를 바꾸는 도구를 꺼 주세요.',
    'VPN이나 프록시 연결을 끊거나 다른 네트워크를 사용해 주세요.',
    '이 사이트의 고객 지원에 문의하고 아래 참조 코드를 알려 주세요.',
  ],
  rateLimited: {
    heading: '요청이 너무 많습니다',
    paragraphs: [
      '사용 중인 연결에서 짧은 시간에 많은 요청이 있었습니다. 잠시 기다린 후 다시 시도해 주세요.',
    ],
  },
  tryAgain: '다시 시도',
  send: '양식 보내기',
  goBack: '뒤로 가기',
  reference: '참조 코드',
  support: '고객 지원',
};
