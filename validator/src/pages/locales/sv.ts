import type { Messages } from '../messages.ts';

export const sv: Messages = {
  language: 'sv',
  direction: 'ltr',
  checking: {
    heading: 'Din webbläsare kontrolleras',
    paragraphs: [
      'Det tar ett ögonblick och du behöver inte göra något. Sidan du bad om öppnas av sig själv.',
    ],
  },
  waiting:
    'Just nu kommer många kontroller från ditt nätverk. Den här sidan väntar en stund och fortsätter sedan av sig själv.',
  working:
    'Den här webbplatsen ber just nu om en kort beräkning. Din webbläsare gör den på några sekunder, och sedan öppnas sidan av sig själv.',
  doubted:
    'Ett tillägg eller en inställning ändrar vad din webbläsare säger om sig själv. Därför gör webbläsaren en kort beräkning som tar några sekunder. Sedan öppnas sidan av sig själv. Efter tio minuter behövs det igen.',
  resubmission: 'Om webbläsaren frågar om formuläret ska skickas igen, bekräfta det.',
  resend: {
    heading: 'Ditt formulär skickas',
    paragraphs: [
      'Om webbläsaren frågar om formuläret ska skickas igen, bekräfta: den skickar det du fyllt i, även filer. Om inget händer, tryck på knappen.',
    ],
  },
  elsewhere: {
    heading: 'Skicka en gång till',
    paragraphs: [
      'Din webbläsare har kontrollerats. Det du skickade kom från en annan webbplats, och för din säkerhet får bara den skicka det. Gå tillbaka och skicka igen.',
    ],
  },
  retry: {
    heading: 'Kontrollen blev inte klar',
    paragraphs: ['Anslutningen bröts. Kontrollera att du är uppkopplad och försök igen.'],
  },
  failed: {
    heading: 'Din webbläsare kunde inte kontrolleras',
    paragraphs: [
      'Försök igen om några minuter eller med en annan webbläsare. Om det fortsätter, uppge referensen nedan till webbplatsens support.',
    ],
  },
  cookies: {
    heading: 'Här behövs kakor',
    paragraphs: [
      'Webbplatsen använder en enda kaka (cookie) för att komma ihåg att din webbläsare har kontrollerats, och webbläsaren behöll den inte. Tillåt kakor för webbplatsen och försök igen.',
    ],
  },
  noScript: {
    heading: 'Här behövs JavaScript',
    paragraphs: [
      'Webbplatsen kontrollerar webbläsare med ett kort skript. Tillåt JavaScript för webbplatsen och ladda om sidan.',
    ],
  },
  blocked: {
    heading: 'Åtkomst nekad',
    paragraphs: ['Förfrågan såg automatiserad ut, eller så tillåter webbplatsens regler den inte.'],
  },
  adviceHeading: 'Om du tror att det är ett misstag',
  advice: [
    'Stäng av verktyg som styr din webbläsare eller ändrar hur den identifierar sig.',
    'Koppla från VPN eller proxy, eller använd ett annat nätverk.',
    'Be webbplatsens support om hjälp och uppge referensen nedan.',
  ],
  rateLimited: {
    heading: 'För många förfrågningar',
    paragraphs: [
      'Många förfrågningar kom från din anslutning på kort tid. Vänta en stund och försök igen.',
    ],
  },
  unreachable: {
    heading: 'Webbplatsen går inte att nå',
    paragraphs: [
      'Webbplatsen svarade inte. Det beror inte på dig eller din webbläsare. Försök igen om några minuter.',
    ],
  },
  busy: {
    heading: 'Webbplatsen är överbelastad',
    paragraphs: ['Just nu hanteras för många förfrågningar. Försök igen om en stund.'],
  },
  tryAgain: 'Försök igen',
  send: 'Skicka formuläret',
  goBack: 'Gå tillbaka',
  reference: 'Referens',
  support: 'Support',
};
