import type { Messages } from '../messages.ts';

export const es: Messages = {
  language: 'es',
  direction: 'ltr',
  checking: {
    heading: 'Comprobando su navegador',
    paragraphs: [
      'Tardará un momento y no tiene que hacer nada. La página solicitada se abrirá sola.',
    ],
  },
  waiting:
    'En este momento llegan muchas comprobaciones desde su red. Esta página espera un momento y después continúa por sí sola.',
  working:
    'Este sitio pide ahora mismo un breve cálculo. Su navegador lo hace en unos segundos y después la página se abre sola.',
  doubted:
    'Una extensión o un ajuste cambia lo que su navegador dice de sí mismo. Por eso su navegador hace un breve cálculo, que tarda unos segundos. Después la página se abre sola. Pasados diez minutos se volverá a pedir.',
  resubmission: 'Si su navegador pregunta si desea volver a enviar el formulario, confírmelo.',
  resend: {
    heading: 'Enviando su formulario',
    paragraphs: [
      'Si su navegador pregunta si desea volver a enviar el formulario, confírmelo: enviará lo que ha escrito, incluidos los archivos. Si no ocurre nada, pulse el botón.',
    ],
  },
  elsewhere: {
    heading: 'Envíelo una vez más, por favor',
    paragraphs: [
      'Su navegador ya se ha comprobado. Lo que envió procedía de otro sitio y, por su seguridad, solo ese sitio puede enviarlo. Vuelva atrás y envíelo de nuevo.',
    ],
  },
  retry: {
    heading: 'La comprobación no ha terminado',
    paragraphs: [
      'Se ha interrumpido la conexión. Compruebe que está en línea e inténtelo de nuevo.',
    ],
  },
  failed: {
    heading: 'No se ha podido comprobar su navegador',
    paragraphs: [
      'Inténtelo de nuevo dentro de unos minutos o con otro navegador. Si el problema continúa, indique la referencia de abajo al servicio de asistencia de este sitio.',
    ],
  },
  cookies: {
    heading: 'Aquí se necesitan cookies',
    paragraphs: [
      'Este sitio usa una sola cookie para recordar que su navegador ya fue comprobado, y su navegador no la ha conservado. Permita las cookies para este sitio e inténtelo de nuevo.',
    ],
  },
  noScript: {
    heading: 'Aquí se necesita JavaScript',
    paragraphs: [
      'Este sitio comprueba los navegadores con un breve script. Permita JavaScript para este sitio y vuelva a cargar la página.',
    ],
  },
  blocked: {
    heading: 'Acceso denegado',
    paragraphs: ['Esta solicitud parecía automatizada, o las reglas de este sitio no la permiten.'],
  },
  adviceHeading: 'Si cree que es un error',
  advice: [
    'Desactive las herramientas que controlan su navegador o cambian su identificación.',
    'Desconéctese de la VPN o del proxy, o utilice otra red.',
    'Pida ayuda al servicio de asistencia de este sitio e indique la referencia de abajo.',
  ],
  rateLimited: {
    heading: 'Demasiadas solicitudes',
    paragraphs: [
      'Han llegado muchas solicitudes desde su conexión en poco tiempo. Espere un poco e inténtelo de nuevo.',
    ],
  },
  unreachable: {
    heading: 'No se puede acceder a este sitio',
    paragraphs: [
      'El sitio no ha respondido. No se debe a usted ni a su navegador. Inténtelo de nuevo en unos minutos.',
    ],
  },
  busy: {
    heading: 'Este sitio está saturado',
    paragraphs: ['Hay demasiadas solicitudes en curso. Inténtelo de nuevo en un momento.'],
  },
  tryAgain: 'Intentar de nuevo',
  send: 'Enviar el formulario',
  goBack: 'Volver atrás',
  reference: 'Referencia',
  support: 'Asistencia',
};
