import type { Messages } from '../messages.ts';

export const ptPt: Messages = {
  language: 'pt-PT',
  direction: 'ltr',
  checking: {
    heading: 'A verificar o seu navegador',
    paragraphs: [
      'Demora só um momento e não precisa de fazer nada. A página pedida abre-se sozinha.',
    ],
  },
  waiting:
    'Neste momento, chegam muitas verificações da sua rede. Esta página aguarda um instante e depois continua sozinha.',
  working:
    'Este site está a pedir um breve cálculo neste momento. O seu navegador fá-lo em alguns segundos e depois a página abre-se sozinha.',
  doubted:
    'Uma extensão ou uma definição altera o que o seu navegador diz sobre si próprio. Por isso, o seu navegador faz um breve cálculo, que demora alguns segundos. Depois a página abre-se sozinha. Ao fim de dez minutos, isto volta a ser pedido.',
  resubmission: 'Se o navegador perguntar se deve reenviar o formulário, confirme.',
  resend: {
    heading: 'A enviar o seu formulário',
    paragraphs: [
      'Se o navegador perguntar se deve reenviar o formulário, confirme: ele envia o que preencheu, incluindo os ficheiros. Se nada acontecer, prima o botão.',
    ],
  },
  elsewhere: {
    heading: 'Envie mais uma vez, por favor',
    paragraphs: [
      'O seu navegador foi verificado. O envio veio de outro sítio e, para sua segurança, só esse sítio o pode fazer. Volte atrás e envie novamente.',
    ],
  },
  retry: {
    heading: 'A verificação não terminou',
    paragraphs: ['A ligação foi interrompida. Verifique se está em linha e tente novamente.'],
  },
  failed: {
    heading: 'Não foi possível verificar o seu navegador',
    paragraphs: [
      'Tente novamente dentro de alguns minutos ou com outro navegador. Se o problema continuar, indique a referência abaixo ao apoio deste sítio.',
    ],
  },
  cookies: {
    heading: 'Aqui são necessários cookies',
    paragraphs: [
      'Este sítio usa um único cookie para recordar que o seu navegador foi verificado, e o navegador não o guardou. Permita cookies para este sítio e tente novamente.',
    ],
  },
  noScript: {
    heading: 'Aqui é necessário JavaScript',
    paragraphs: [
      'Este sítio verifica os navegadores com um pequeno script. Permita JavaScript para este sítio e recarregue a página.',
    ],
  },
  blocked: {
    heading: 'Acesso negado',
    paragraphs: ['Este pedido pareceu automatizado, ou as regras deste sítio não o permitem.'],
  },
  adviceHeading: 'Se acha que é um engano',
  advice: [
    'Desative ferramentas que controlam o navegador ou mudam a sua identificação.',
    'Desligue a VPN ou o proxy, ou use outra rede.',
    'Peça ajuda ao apoio deste sítio e indique a referência abaixo.',
  ],
  rateLimited: {
    heading: 'Demasiados pedidos',
    paragraphs: [
      'Chegaram muitos pedidos da sua ligação em pouco tempo. Espere um pouco e tente novamente.',
    ],
  },
  unreachable: {
    heading: 'Não é possível aceder a este site',
    paragraphs: [
      'O site não respondeu. A causa não está em si nem no seu navegador. Tente novamente dentro de alguns minutos.',
    ],
  },
  busy: {
    heading: 'Este site está sobrecarregado',
    paragraphs: ['Há demasiados pedidos em curso. Tente novamente dentro de momentos.'],
  },
  tryAgain: 'Tentar novamente',
  send: 'Enviar o formulário',
  goBack: 'Voltar atrás',
  reference: 'Referência',
  support: 'Apoio',
};
