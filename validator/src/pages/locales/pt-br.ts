import type { Messages } from '../messages.ts';

export const ptBr: Messages = {
  language: 'pt-BR',
  direction: 'ltr',
  checking: {
    heading: 'Verificando o seu navegador',
    paragraphs: [
      'Leva só um momento e você não precisa fazer nada. A página solicitada será aberta sozinha.',
    ],
  },
  waiting:
    'Muitas verificações estão vindo da sua rede neste momento. Esta página aguarda um instante e depois continua sozinha.',
  working:
    'Este site está pedindo um breve cálculo neste momento. Seu navegador o faz em alguns segundos e depois a página abre sozinha.',
  doubted:
    'Uma extensão ou uma configuração altera o que seu navegador diz sobre si mesmo. Por isso, seu navegador faz um breve cálculo, que leva alguns segundos. Depois a página abre sozinha. Após dez minutos, isso será pedido novamente.',
  resubmission: 'Se o navegador perguntar se deve reenviar o formulário, confirme.',
  resend: {
    heading: 'Enviando o seu formulário',
    paragraphs: [
      'Se o navegador perguntar se deve reenviar o formulário, confirme: ele envia o que você preencheu, inclusive os arquivos. Se nada acontecer, pressione o botão.',
    ],
  },
  elsewhere: {
    heading: 'Envie mais uma vez, por favor',
    paragraphs: [
      'O seu navegador foi verificado. O envio veio de outro site e, para a sua segurança, só aquele site pode fazê-lo. Volte e envie novamente.',
    ],
  },
  retry: {
    heading: 'A verificação não terminou',
    paragraphs: ['A conexão foi interrompida. Verifique se você está online e tente novamente.'],
  },
  failed: {
    heading: 'Não foi possível verificar o seu navegador',
    paragraphs: [
      'Tente novamente em alguns minutos ou com outro navegador. Se continuar acontecendo, informe a referência abaixo ao suporte deste site.',
    ],
  },
  cookies: {
    heading: 'É preciso aceitar cookies aqui',
    paragraphs: [
      'Este site usa um único cookie para lembrar que o seu navegador foi verificado, e o navegador não o guardou. Permita cookies para este site e tente novamente.',
    ],
  },
  noScript: {
    heading: 'É preciso ter JavaScript aqui',
    paragraphs: [
      'Este site verifica os navegadores com um pequeno script. Permita JavaScript para este site e recarregue a página.',
    ],
  },
  blocked: {
    heading: 'Acesso negado',
    paragraphs: ['Esta solicitação pareceu automatizada, ou as regras deste site não a permitem.'],
  },
  adviceHeading: 'Se você acha que é um engano',
  advice: [
    'Desative ferramentas que controlam o navegador ou mudam a identificação dele.',
    'Desconecte-se da VPN ou do proxy, ou use outra rede.',
    'Peça ajuda ao suporte deste site e informe a referência abaixo.',
  ],
  rateLimited: {
    heading: 'Muitas solicitações',
    paragraphs: [
      'Muitas solicitações vieram da sua conexão em pouco tempo. Espere um pouco e tente novamente.',
    ],
  },
  unreachable: {
    heading: 'Não é possível acessar este site',
    paragraphs: [
      'O site não respondeu. Isso não tem a ver com você nem com o seu navegador. Tente novamente em alguns minutos.',
    ],
  },
  busy: {
    heading: 'Este site está sobrecarregado',
    paragraphs: ['Há solicitações demais em andamento. Tente novamente em instantes.'],
  },
  tryAgain: 'Tentar novamente',
  send: 'Enviar o formulário',
  goBack: 'Voltar',
  reference: 'Referência',
  support: 'Suporte',
};
