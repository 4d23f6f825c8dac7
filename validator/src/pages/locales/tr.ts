import type { Messages } from '../messages.ts';

export const tr: Messages = {
  language: 'tr',
  direction: 'ltr',
  checking: {
    heading: 'Tarayıcınız denetleniyor',
    paragraphs: [
      'Bu kısa sürer ve bir şey yapmanız gerekmez. İstediğiniz sayfa kendiliğinden açılır.',
    ],
  },
  waiting:
    'Şu anda ağınızdan çok sayıda kontrol geliyor. Bu sayfa biraz bekler ve sonra kendiliğinden devam eder.',
  working:
    'Bu site şu anda kısa bir hesaplama istiyor. Tarayıcınız bunu birkaç saniyede yapar, ardından sayfa kendiliğinden açılır.',
  doubted:
    'Bir uzantı veya ayar, tarayıcınızın kendisi hakkında söylediklerini değiştiriyor. Bu yüzden tarayıcınız birkaç saniye süren kısa bir hesaplama yapar. Ardından sayfa kendiliğinden açılır. On dakika sonra bu yeniden istenir.',
  resubmission:
    'Tarayıcınız formun yeniden gönderilip gönderilmeyeceğini sorarsa lütfen onaylayın.',
  resend: {
    heading: 'Formunuz gönderiliyor',
    paragraphs: [
      'Tarayıcınız formun yeniden gönderilip gönderilmeyeceğini sorarsa onaylayın: girdiğiniz her şeyi, dosyalar dahil gönderir. Bir şey olmazsa düğmeye basın.',
    ],
  },
  elsewhere: {
    heading: 'Lütfen bir kez daha gönderin',
    paragraphs: [
      'Tarayıcınız denetlendi. Gönderdiğiniz bilgiler başka bir siteden geldi ve güvenliğiniz için yalnızca o site gönderebilir. Geri dönüp yeniden gönderin.',
    ],
  },
  retry: {
    heading: 'Denetim tamamlanmadı',
    paragraphs: ['Bağlantı kesildi. Çevrimiçi olduğunuzdan emin olup yeniden deneyin.'],
  },
  failed: {
    heading: 'Tarayıcınız denetlenemedi',
    paragraphs: [
      'Birkaç dakika sonra veya başka bir tarayıcıyla yeniden deneyin. Sorun sürerse aşağıdaki başvuru kodunu bu sitenin destek birimine iletin.',
    ],
  },
  cookies: {
    heading: 'Burada çerez gerekli',
    paragraphs: [
      'Bu site, tarayıcınızın denetlendiğini hatırlamak için tek bir çerez kullanır ve tarayıcınız onu saklamadı. Bu site için çerezlere izin verip yeniden deneyin.',
    ],
  },
  noScript: {
    heading: 'Burada JavaScript gerekli',
    paragraphs: [
      'Bu site tarayıcıları kısa bir betikle denetler. Bu site için JavaScript’e izin verip sayfayı yeniden yükleyin.',
    ],
  },
  blocked: {
    heading: 'Erişim reddedildi',
    paragraphs: ['Bu istek otomatik görünüyordu veya bu sitenin kuralları buna izin vermiyor.'],
  },
  adviceHeading: 'Bunun bir hata olduğunu düşünüyorsanız',
  advice: [
    'Tarayıcınızı yöneten veya kimliğini değiştiren araçları kapatın.',
    'VPN veya vekil sunucu bağlantısını kesin ya da başka bir ağ kullanın.',
    'Bu sitenin destek biriminden yardım isteyin ve aşağıdaki başvuru kodunu iletin.',
  ],
  rateLimited: {
    heading: 'Çok fazla istek',
    paragraphs: [
      'Bağlantınızdan kısa sürede çok sayıda istek geldi. Biraz bekleyip yeniden deneyin.',
    ],
  },
  unreachable: {
    heading: 'Bu siteye ulaşılamıyor',
    paragraphs: [
      'Site yanıt vermedi. Bunun sizinle veya tarayıcınızla ilgisi yok. Birkaç dakika sonra yeniden deneyin.',
    ],
  },
  busy: {
    heading: 'Bu site şu anda yoğun',
    paragraphs: ['Şu anda çok fazla istek işleniyor. Biraz sonra yeniden deneyin.'],
  },
  tryAgain: 'Yeniden dene',
  send: 'Formu gönder',
  goBack: 'Geri dön',
  reference: 'Başvuru kodu',
  support: 'Destek',
};
