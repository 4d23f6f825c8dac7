import type { Messages } from '../messages.ts';

export const nl: Messages = {
  language: 'nl',
  direction: 'ltr',
  checking: {
    heading: 'Uw browser wordt gecontroleerd',
    paragraphs: ['Dit duurt even en u hoeft niets te doen. De gevraagde pagina opent vanzelf.'],
  },
  waiting:
    'Er komen nu veel controles van uw netwerk. Deze pagina wacht even en gaat dan vanzelf verder.',
  working:
    'Deze site vraagt op dit moment om een korte berekening. Uw browser doet die in enkele seconden, daarna opent de pagina vanzelf.',
  doubted:
    'Een extensie of een instelling verandert wat uw browser over zichzelf zegt. Daarom doet uw browser een korte berekening, die enkele seconden duurt. Daarna opent de pagina vanzelf. Na tien minuten wordt dit opnieuw gevraagd.',
  resubmission:
    'Vraagt uw browser of het formulier opnieuw moet worden verzonden? Bevestig dat dan.',
  resend: {
    heading: 'Uw formulier wordt verzonden',
    paragraphs: [
      'Vraagt uw browser of het formulier opnieuw moet worden verzonden, bevestig dat dan: hij verzendt wat u hebt ingevuld, ook bestanden. Gebeurt er niets, druk dan op de knop.',
    ],
  },
  elsewhere: {
    heading: 'Verzend het nog één keer',
    paragraphs: [
      'Uw browser is gecontroleerd. Wat u verzond kwam van een andere website, en voor uw veiligheid mag alleen die website het verzenden. Ga terug en verzend het opnieuw.',
    ],
  },
  retry: {
    heading: 'De controle is niet voltooid',
    paragraphs: [
      'De verbinding werd onderbroken. Controleer of u online bent en probeer het opnieuw.',
    ],
  },
  failed: {
    heading: 'Uw browser kon niet worden gecontroleerd',
    paragraphs: [
      'Probeer het over enkele minuten opnieuw, of met een andere browser. Blijft het gebeuren, geef dan de referentie hieronder door aan de helpdesk van deze website.',
    ],
  },
  cookies: {
    heading: 'Hier zijn cookies nodig',
    paragraphs: [
      'Deze website gebruikt één cookie om te onthouden dat uw browser is gecontroleerd, en uw browser heeft die niet bewaard. Sta cookies toe voor deze website en probeer het opnieuw.',
    ],
  },
  noScript: {
    heading: 'Hier is JavaScript nodig',
    paragraphs: [
      'Deze website controleert browsers met een kort script. Sta JavaScript toe voor deze website en laad de pagina opnieuw.',
    ],
  },
  blocked: {
    heading: 'Toegang geweigerd',
    paragraphs: [
      'Dit verzoek leek geautomatiseerd, of de regels van deze website staan het niet toe.',
    ],
  },
  adviceHeading: 'Als dit een vergissing is',
  advice: [
    'Schakel programma’s uit die uw browser besturen of zijn identiteit veranderen.',
    'Verbreek de verbinding met een VPN of proxy, of gebruik een ander netwerk.',
    'Vraag de helpdesk van deze website om hulp en geef de referentie hieronder door.',
  ],
  rateLimited: {
    heading: 'Te veel verzoeken',
    paragraphs: [
      'Vanaf uw verbinding kwamen in korte tijd heel veel verzoeken. Wacht even en probeer het opnieuw.',
    ],
  },
  unreachable: {
    heading: 'Deze site is niet bereikbaar',
    paragraphs: [
      'De site heeft niet geantwoord. Dat ligt niet aan u of uw browser. Probeer het over enkele minuten opnieuw.',
    ],
  },
  busy: {
    heading: 'Deze site is overbelast',
    paragraphs: ['Er worden nu te veel verzoeken verwerkt. Probeer het zo dadelijk opnieuw.'],
  },
  tryAgain: 'Opnieuw proberen',
  send: 'Formulier verzenden',
  goBack: 'Ga terug',
  reference: 'Referentie',
  support: 'Helpdesk',
};
