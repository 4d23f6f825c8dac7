import type { Messages } from '../messages.ts';

export const fr: Messages = {
  language: 'fr',
  direction: 'ltr',
  checking: {
    heading: 'Vérification de votre navigateur',
    paragraphs: [
      'Cela ne prend qu’un instant et ne demande rien de votre part. La page demandée s’ouvrira d’elle-même.',
    ],
  },
  waiting:
    'De nombreuses vérifications arrivent de votre réseau en ce moment. Cette page attend un instant, puis continue d’elle-même.',
  working:
    'Ce site demande en ce moment un court calcul. Votre navigateur le fait en quelques secondes, puis la page s’ouvre d’elle-même.',
  doubted:
    'Une extension ou un réglage modifie ce que votre navigateur dit de lui-même. Votre navigateur fait donc un court calcul, qui prend quelques secondes. Ensuite, la page s’ouvre d’elle-même. Cela sera redemandé au bout de dix minutes.',
  resubmission: 'Si votre navigateur demande s’il faut renvoyer le formulaire, veuillez confirmer.',
  resend: {
    heading: 'Envoi de votre formulaire',
    paragraphs: [
      'Si votre navigateur demande s’il faut renvoyer le formulaire, confirmez : il envoie ce que vous avez saisi, fichiers compris. Si rien ne se passe, appuyez sur le bouton.',
    ],
  },
  elsewhere: {
    heading: 'Veuillez renvoyer le formulaire',
    paragraphs: [
      'Votre navigateur a été vérifié. Votre envoi venait d’un autre site et, pour votre sécurité, seul ce site peut l’envoyer. Revenez en arrière, puis renvoyez-le.',
    ],
  },
  retry: {
    heading: 'La vérification n’a pas abouti',
    paragraphs: [
      'La connexion a été interrompue. Vérifiez que vous êtes en ligne, puis réessayez.',
    ],
  },
  failed: {
    heading: 'Votre navigateur n’a pas pu être vérifié',
    paragraphs: [
      'Réessayez dans quelques minutes ou avec un autre navigateur. Si le problème persiste, indiquez la référence ci-dessous à l’assistance de ce site.',
    ],
  },
  cookies: {
    heading: 'Les cookies sont nécessaires ici',
    paragraphs: [
      'Ce site utilise un seul cookie pour retenir que votre navigateur a été vérifié, et votre navigateur ne l’a pas conservé. Autorisez les cookies pour ce site, puis réessayez.',
    ],
  },
  noScript: {
    heading: 'JavaScript est nécessaire ici',
    paragraphs: [
      'Ce site vérifie les navigateurs avec un court script. Autorisez JavaScript pour ce site, puis rechargez la page.',
    ],
  },
  blocked: {
    heading: 'Accès refusé',
    paragraphs: [
      'Cette requête semblait automatisée, ou les règles de ce site ne l’autorisent pas.',
    ],
  },
  adviceHeading: 'S’il s’agit d’une erreur',
  advice: [
    'Désactivez les outils qui pilotent votre navigateur ou modifient son identité.',
    'Déconnectez-vous du VPN ou du proxy, ou utilisez un autre réseau.',
    'Demandez de l’aide à l’assistance de ce site en indiquant la référence ci-dessous.',
  ],
  rateLimited: {
    heading: 'Trop de requêtes',
    paragraphs: [
      'De nombreuses requêtes sont venues de votre connexion en peu de temps. Patientez un peu, puis réessayez.',
    ],
  },
  unreachable: {
    heading: 'Ce site est inaccessible',
    paragraphs: [
      'Le site n’a pas répondu. Cela ne vient ni de vous ni de votre navigateur. Réessayez dans quelques minutes.',
    ],
  },
  busy: {
    heading: 'Ce site est surchargé',
    paragraphs: ['Trop de requêtes sont en cours. Réessayez dans un instant.'],
  },
  tryAgain: 'Réessayer',
  send: 'Envoyer le formulaire',
  goBack: 'Retour',
  reference: 'Référence',
  support: 'Assistance',
};
