import type { Messages } from '../messages.ts';

export const it: Messages = {
  language: 'it',
  direction: 'ltr',
  checking: {
    heading: 'Verifica del browser in corso',
    paragraphs: [
      'Richiede un momento e non deve fare nulla. La pagina richiesta si aprirà da sola.',
    ],
  },
  waiting:
    'In questo momento arrivano molte verifiche dalla sua rete. Questa pagina attende un momento e poi prosegue da sola.',
  working:
    'Questo sito richiede al momento un breve calcolo. Il browser lo esegue in pochi secondi, poi la pagina si apre da sola.',
  doubted:
    'Un’estensione o un’impostazione modifica ciò che il browser dice di sé. Per questo il browser esegue un breve calcolo, che dura alcuni secondi. Poi la pagina si apre da sola. Dopo dieci minuti verrà richiesto di nuovo.',
  resubmission: 'Se il browser chiede di inviare di nuovo il modulo, confermi.',
  resend: {
    heading: 'Invio del modulo',
    paragraphs: [
      'Se il browser chiede di inviare di nuovo il modulo, confermi: invierà ciò che ha inserito, file compresi. Se non succede nulla, prema il pulsante.',
    ],
  },
  elsewhere: {
    heading: 'Lo invii ancora una volta',
    paragraphs: [
      'Il browser è stato verificato. I dati provenivano da un altro sito e, per la Sua sicurezza, solo quel sito può inviarli. Torni indietro e li invii di nuovo.',
    ],
  },
  retry: {
    heading: 'La verifica non è terminata',
    paragraphs: ['La connessione si è interrotta. Controlli di essere online e riprovi.'],
  },
  failed: {
    heading: 'Non è stato possibile verificare il browser',
    paragraphs: [
      'Riprovi tra qualche minuto o con un altro browser. Se il problema continua, comunichi il riferimento qui sotto all’assistenza di questo sito.',
    ],
  },
  cookies: {
    heading: 'Qui servono i cookie',
    paragraphs: [
      'Questo sito usa un solo cookie per ricordare che il browser è stato verificato, e il browser non lo ha conservato. Consenta i cookie per questo sito e riprovi.',
    ],
  },
  noScript: {
    heading: 'Qui serve JavaScript',
    paragraphs: [
      'Questo sito verifica i browser con un breve script. Consenta JavaScript per questo sito e ricarichi la pagina.',
    ],
  },
  blocked: {
    heading: 'Accesso negato',
    paragraphs: [
      'Questa richiesta sembrava automatica, oppure le regole di questo sito non la consentono.',
    ],
  },
  adviceHeading: 'Se ritiene che sia un errore',
  advice: [
    'Disattivi gli strumenti che controllano il browser o ne cambiano l’identità.',
    'Si disconnetta dalla VPN o dal proxy, oppure usi un’altra rete.',
    'Chieda aiuto all’assistenza di questo sito e comunichi il riferimento qui sotto.',
  ],
  rateLimited: {
    heading: 'Troppe richieste',
    paragraphs: [
      'Dalla Sua connessione sono arrivate molte richieste in poco tempo. Attenda un po’ e riprovi.',
    ],
  },
  unreachable: {
    heading: 'Questo sito non è raggiungibile',
    paragraphs: [
      'Il sito non ha risposto. Non dipende da Lei né dal Suo browser. Riprovi tra qualche minuto.',
    ],
  },
  busy: {
    heading: 'Questo sito è sovraccarico',
    paragraphs: ['Ci sono troppe richieste in corso. Riprovi tra un momento.'],
  },
  tryAgain: 'Riprova',
  send: 'Invia il modulo',
  goBack: 'Torna indietro',
  reference: 'Riferimento',
  support: 'Assistenza',
};
