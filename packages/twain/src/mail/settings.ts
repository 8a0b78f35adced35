// The settings `mail.…`.

export interface MailSettings {
  /** The address of the mail server: `smtp://…` or `smtps://…`. Null: the service sends no mails, unless its code does. */
  url: string | null
  /** The sender of all mails. */
  from: string | null
}

export const defaultMailSettings: MailSettings = { url: null, from: null }

/** A sentence for each problem of the combined settings. No message repeats the address: it may contain a password. */
export function mailMistakes({ url, from }: MailSettings): string[] {
  const mistakes: string[] = []
  if (url !== null && !(/^smtps?:\/\//.test(url) && URL.canParse(url)))
    mistakes.push('mail.url must be the address of a mail server: smtp://HOST:PORT or smtps://USER:PASSWORD@HOST.')
  if (url !== null && from === null) mistakes.push('mail.url needs mail.from, the sender: "Shop <shop@example.com>".')
  if (from !== null && !/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/.test(from))
    mistakes.push('mail.from must be an address: shop@example.com or "Shop <shop@example.com>".')
  return mistakes
}
