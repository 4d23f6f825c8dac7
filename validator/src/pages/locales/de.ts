import type { Messages } from '../messages.ts';

export const de: Messages = {
  language: 'de',
  direction: 'ltr',
  checking: {
    heading: 'Ihr Browser wird geprüft',
    paragraphs: [
      'Das dauert einen Moment, Sie müssen nichts tun. Die gewünschte Seite öffnet sich von selbst.',
    ],
  },
  waiting:
    'Aus Ihrem Netz kommen gerade viele Prüfungen. Diese Seite wartet einen Moment und macht dann von selbst weiter.',
  working:
    'Diese Website verlangt gerade eine kurze Berechnung. Ihr Browser erledigt sie in wenigen Sekunden, dann öffnet sich die Seite von selbst.',
  doubted:
    'Eine Erweiterung oder eine Einstellung ändert, was Ihr Browser über sich selbst sagt. Darum führt Ihr Browser eine kurze Berechnung durch, die einige Sekunden dauert. Dann öffnet sich die Seite von selbst. Nach zehn Minuten wird erneut danach gefragt.',
  resubmission:
    'Falls Ihr Browser fragt, ob das Formular erneut gesendet werden soll, bestätigen Sie dies bitte.',
  resend: {
    heading: 'Ihr Formular wird gesendet',
    paragraphs: [
      'Falls Ihr Browser fragt, ob das Formular erneut gesendet werden soll, bestätigen Sie: Er sendet Ihre Eingaben samt Dateien. Geschieht nichts, drücken Sie die Schaltfläche.',
    ],
  },
  elsewhere: {
    heading: 'Bitte noch einmal senden',
    paragraphs: [
      'Ihr Browser wurde geprüft. Ihre Daten kamen von einer anderen Website, und zu Ihrer Sicherheit darf nur diese sie senden. Gehen Sie zurück und senden Sie erneut.',
    ],
  },
  retry: {
    heading: 'Die Prüfung wurde nicht abgeschlossen',
    paragraphs: [
      'Die Verbindung wurde unterbrochen. Prüfen Sie, ob Sie online sind, und versuchen Sie es erneut.',
    ],
  },
  failed: {
    heading: 'Ihr Browser konnte nicht geprüft werden',
    paragraphs: [
      'Versuchen Sie es in einigen Minuten oder mit einem anderen Browser erneut. Bleibt das Problem bestehen, nennen Sie dem Support dieser Website die unten stehende Referenz.',
    ],
  },
  cookies: {
    heading: 'Hier werden Cookies benötigt',
    paragraphs: [
      'Diese Website merkt sich mit einem einzigen Cookie, dass Ihr Browser geprüft wurde. Ihr Browser hat es nicht behalten. Erlauben Sie Cookies für diese Website und versuchen Sie es erneut.',
    ],
  },
  noScript: {
    heading: 'Hier wird JavaScript benötigt',
    paragraphs: [
      'Diese Website prüft Browser mit einem kurzen Skript. Erlauben Sie JavaScript für diese Website und laden Sie die Seite neu.',
    ],
  },
  blocked: {
    heading: 'Zugriff verweigert',
    paragraphs: [
      'Diese Anfrage wirkte automatisiert, oder die Regeln dieser Website lassen sie nicht zu.',
    ],
  },
  adviceHeading: 'Falls das ein Irrtum ist',
  advice: [
    'Schalten Sie Programme aus, die Ihren Browser steuern oder seine Kennung ändern.',
    'Trennen Sie VPN oder Proxy, oder nutzen Sie ein anderes Netz.',
    'Wenden Sie sich an den Support dieser Website und nennen Sie die unten stehende Referenz.',
  ],
  rateLimited: {
    heading: 'Zu viele Anfragen',
    paragraphs: [
      'Von Ihrem Anschluss kamen in kurzer Zeit sehr viele Anfragen. Warten Sie etwas und versuchen Sie es erneut.',
    ],
  },
  unreachable: {
    heading: 'Diese Website ist nicht erreichbar',
    paragraphs: [
      'Die Website hat nicht geantwortet. Das liegt nicht an Ihnen oder Ihrem Browser. Versuchen Sie es in einigen Minuten erneut.',
    ],
  },
  busy: {
    heading: 'Diese Website ist überlastet',
    paragraphs: [
      'Gerade werden zu viele Anfragen bearbeitet. Versuchen Sie es gleich noch einmal.',
    ],
  },
  tryAgain: 'Erneut versuchen',
  send: 'Formular senden',
  goBack: 'Zurück',
  reference: 'Referenz',
  support: 'Support',
};
