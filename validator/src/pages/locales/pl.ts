import type { Messages } from '../messages.ts';

export const pl: Messages = {
  language: 'pl',
  direction: 'ltr',
  checking: {
    heading: 'Sprawdzanie przeglądarki',
    paragraphs: ['To zajmie chwilę i nie trzeba nic robić. Żądana strona otworzy się sama.'],
  },
  waiting:
    'Z Twojej sieci przychodzi teraz wiele sprawdzeń. Ta strona chwilę poczeka, a potem sama przejdzie dalej.',
  working:
    'Ta strona wymaga teraz krótkiego obliczenia. Przeglądarka wykona je w kilka sekund, a potem strona otworzy się sama.',
  doubted:
    'Rozszerzenie lub ustawienie zmienia to, co przeglądarka mówi o sobie. Dlatego przeglądarka wykonuje krótkie obliczenie, które trwa kilka sekund. Potem strona otworzy się sama. Po dziesięciu minutach będzie to potrzebne ponownie.',
  resubmission: 'Jeśli przeglądarka zapyta, czy ponownie wysłać formularz, prosimy potwierdzić.',
  resend: {
    heading: 'Wysyłanie formularza',
    paragraphs: [
      'Jeśli przeglądarka zapyta, czy ponownie wysłać formularz, prosimy potwierdzić: wyśle wpisane dane wraz z plikami. Jeśli nic się nie dzieje, prosimy nacisnąć przycisk.',
    ],
  },
  elsewhere: {
    heading: 'Prosimy wysłać jeszcze raz',
    paragraphs: [
      'Przeglądarka została sprawdzona. Dane pochodziły z innej witryny i dla bezpieczeństwa tylko ona może je wysłać. Prosimy wrócić i wysłać je ponownie.',
    ],
  },
  retry: {
    heading: 'Sprawdzanie nie zostało ukończone',
    paragraphs: [
      'Połączenie zostało przerwane. Prosimy sprawdzić połączenie z internetem i spróbować ponownie.',
    ],
  },
  failed: {
    heading: 'Nie udało się sprawdzić przeglądarki',
    paragraphs: [
      'Prosimy spróbować za kilka minut lub w innej przeglądarce. Jeśli problem się powtarza, prosimy podać poniższy numer pomocy technicznej tej witryny.',
    ],
  },
  cookies: {
    heading: 'Tutaj potrzebne są pliki cookie',
    paragraphs: [
      'Ta witryna używa jednego pliku cookie, aby pamiętać, że przeglądarka została sprawdzona, a przeglądarka go nie zachowała. Prosimy zezwolić na pliki cookie w tej witrynie i spróbować ponownie.',
    ],
  },
  noScript: {
    heading: 'Tutaj potrzebny jest JavaScript',
    paragraphs: [
      'Ta witryna sprawdza przeglądarki krótkim skryptem. Prosimy zezwolić na JavaScript w tej witrynie i odświeżyć stronę.',
    ],
  },
  blocked: {
    heading: 'Odmowa dostępu',
    paragraphs: [
      'To żądanie wyglądało na automatyczne albo zasady tej witryny na nie nie pozwalają.',
    ],
  },
  adviceHeading: 'Jeśli to pomyłka',
  advice: [
    'Prosimy wyłączyć narzędzia, które sterują przeglądarką lub zmieniają jej identyfikację.',
    'Prosimy odłączyć VPN lub serwer proxy albo użyć innej sieci.',
    'Prosimy zwrócić się do pomocy technicznej tej witryny i podać poniższy numer.',
  ],
  rateLimited: {
    heading: 'Zbyt wiele żądań',
    paragraphs: [
      'Z tego połączenia przyszło w krótkim czasie bardzo wiele żądań. Prosimy chwilę odczekać i spróbować ponownie.',
    ],
  },
  unreachable: {
    heading: 'Ta strona jest niedostępna',
    paragraphs: [
      'Strona nie odpowiedziała. Nie jest to wina Twoja ani Twojej przeglądarki. Spróbuj ponownie za kilka minut.',
    ],
  },
  busy: {
    heading: 'Ta strona jest przeciążona',
    paragraphs: ['Trwa obsługa zbyt wielu żądań. Spróbuj ponownie za chwilę.'],
  },
  tryAgain: 'Spróbuj ponownie',
  send: 'Wyślij formularz',
  goBack: 'Wróć',
  reference: 'Numer',
  support: 'Pomoc',
};
