import type { Messages } from '../messages.ts';

export const cs: Messages = {
  language: 'cs',
  direction: 'ltr',
  checking: {
    heading: 'Kontrolujeme váš prohlížeč',
    paragraphs: ['Bude to chvilka a nemusíte nic dělat. Požadovaná stránka se otevře sama.'],
  },
  waiting:
    'Z vaší sítě právě přichází mnoho kontrol. Tato stránka chvíli počká a pak bude sama pokračovat.',
  working:
    'Tento web nyní vyžaduje krátký výpočet. Prohlížeč ho provede během několika sekund a stránka se pak otevře sama.',
  doubted:
    'Rozšíření nebo nastavení mění to, co o sobě váš prohlížeč říká. Proto prohlížeč provede krátký výpočet, který trvá několik sekund. Potom se stránka otevře sama. Po deseti minutách se to bude vyžadovat znovu.',
  resubmission: 'Pokud se prohlížeč zeptá, zda má formulář odeslat znovu, potvrďte to prosím.',
  resend: {
    heading: 'Odesíláme váš formulář',
    paragraphs: [
      'Pokud se prohlížeč zeptá, zda má formulář odeslat znovu, potvrďte to: odešle, co jste vyplnili, včetně souborů. Pokud se nic neděje, stiskněte tlačítko.',
    ],
  },
  elsewhere: {
    heading: 'Odešlete to prosím ještě jednou',
    paragraphs: [
      'Váš prohlížeč byl zkontrolován. Odeslaná data přišla z jiného webu a kvůli vaší bezpečnosti je smí odeslat jen on. Vraťte se zpět a odešlete je znovu.',
    ],
  },
  retry: {
    heading: 'Kontrola se nedokončila',
    paragraphs: ['Spojení bylo přerušeno. Ověřte, že jste online, a zkuste to znovu.'],
  },
  failed: {
    heading: 'Váš prohlížeč se nepodařilo zkontrolovat',
    paragraphs: [
      'Zkuste to znovu za několik minut nebo v jiném prohlížeči. Pokud potíže trvají, sdělte podpoře tohoto webu níže uvedený kód.',
    ],
  },
  cookies: {
    heading: 'Jsou zde potřeba soubory cookie',
    paragraphs: [
      'Tento web používá jediný soubor cookie, aby si pamatoval, že byl váš prohlížeč zkontrolován, a prohlížeč ho neuchoval. Povolte pro tento web soubory cookie a zkuste to znovu.',
    ],
  },
  noScript: {
    heading: 'Je zde potřeba JavaScript',
    paragraphs: [
      'Tento web kontroluje prohlížeče krátkým skriptem. Povolte pro tento web JavaScript a načtěte stránku znovu.',
    ],
  },
  blocked: {
    heading: 'Přístup odepřen',
    paragraphs: [
      'Tento požadavek vypadal automatizovaně, nebo ho pravidla tohoto webu nedovolují.',
    ],
  },
  adviceHeading: 'Pokud jde o omyl',
  advice: [
    'Vypněte nástroje, které ovládají váš prohlížeč nebo mění jeho identifikaci.',
    'Odpojte se od VPN nebo proxy, nebo použijte jinou síť.',
    'Požádejte o pomoc podporu tohoto webu a sdělte jí níže uvedený kód.',
  ],
  rateLimited: {
    heading: 'Příliš mnoho požadavků',
    paragraphs: [
      'Z vašeho připojení přišlo v krátké době velmi mnoho požadavků. Chvíli počkejte a zkuste to znovu.',
    ],
  },
  unreachable: {
    heading: 'Tento web není dostupný',
    paragraphs: [
      'Web neodpověděl. Není to chyba vás ani vašeho prohlížeče. Zkuste to znovu za několik minut.',
    ],
  },
  busy: {
    heading: 'Tento web je přetížený',
    paragraphs: ['Právě se zpracovává příliš mnoho požadavků. Zkuste to za chvíli znovu.'],
  },
  tryAgain: 'Zkusit znovu',
  send: 'Odeslat formulář',
  goBack: 'Zpět',
  reference: 'Kód',
  support: 'Podpora',
};
