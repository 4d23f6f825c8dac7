import type { Messages } from '../messages.ts';

export const zhHant: Messages = {
  language: 'zh-Hant',
  direction: 'ltr',
  checking: {
    heading: '正在檢查您的瀏覽器',
    paragraphs: ['只需片刻，您不必進行任何操作。您要前往的頁面會自動開啟。'],
  },
  waiting: '目前有許多檢查來自您的網路。此頁面會稍候片刻，然後自動繼續。',
  working: '本網站目前要求進行一次簡短的計算。您的瀏覽器會在幾秒內完成，隨後頁面會自動開啟。',
  doubted:
    '某個擴充功能或設定改變了瀏覽器對自身的描述。因此，瀏覽器需要進行一次簡短的計算，耗時幾秒。隨後頁面會自動開啟。十分鐘後會再次要求。',
  resubmission: '如果瀏覽器詢問是否重新提交表單，請確認。',
  resend: {
    heading: '正在提交您的表單',
    paragraphs: [
      '如果瀏覽器詢問是否重新提交表單，請確認：它會傳送您填寫的內容，包括檔案。如果沒有反應，請按下按鈕。',
    ],
  },
  elsewhere: {
    heading: '請再提交一次',
    paragraphs: [
      '您的瀏覽器已通過檢查。您提交的內容來自另一個網站，為了您的安全，只能由該網站提交。請返回後重新提交。',
    ],
  },
  retry: { heading: '檢查未完成', paragraphs: ['連線已中斷。請確認您已連上網路，然後重試。'] },
  failed: {
    heading: '無法檢查您的瀏覽器',
    paragraphs: [
      '請於幾分鐘後重試，或改用其他瀏覽器。如果問題持續發生，請將下方的參考代碼告知本網站的客服。',
    ],
  },
  cookies: {
    heading: '此處需要 Cookie',
    paragraphs: [
      '本網站使用一個 Cookie 來記住您的瀏覽器已通過檢查，但您的瀏覽器沒有保存它。請允許本網站使用 Cookie，然後重試。',
    ],
  },
  noScript: {
    heading: '此處需要 JavaScript',
    paragraphs: [
      '本網站使用一段簡短的指令碼檢查瀏覽器。請允許本網站使用 JavaScript，然後重新載入頁面。',
    ],
  },
  blocked: {
    heading: '存取遭拒',
    paragraphs: ['此要求看起來是自動發出的，或不符合本網站的規則。'],
  },
  adviceHeading: '如果您認為這是誤判',
  advice: [
    '請關閉控制瀏覽器或變更其識別資訊的工具。',
    '請中斷 VPN 或 Proxy 連線，或改用其他網路。',
    '請聯絡本網站的客服，並提供下方的參考代碼。',
  ],
  rateLimited: {
    heading: '要求過多',
    paragraphs: ['短時間內從您的網路發出了大量要求。請稍候再試。'],
  },
  unreachable: {
    heading: '無法連線到此網站',
    paragraphs: ['網站沒有回應。這與您或您的瀏覽器無關。請在幾分鐘後再試一次。'],
  },
  busy: { heading: '此網站忙碌中', paragraphs: ['目前處理的請求過多。請稍後再試一次。'] },
  tryAgain: '重試',
  send: '提交表單',
  goBack: '返回',
  reference: '參考代碼',
  support: '客服',
};
