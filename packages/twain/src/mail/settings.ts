// The settings `mail.…`.

export interface MailSettings {
  /** The address of the mail server: `smtp://…` or `smtps://…`. Null: the service sends no mails, unless its code does. */
  url: string | null
  /** The sender of all mails. */
  from: string | null
}

/** Whether mails to `smtp://` need STARTTLS. `offered`: if the server offers it, so only where nobody can listen or remove the offer. */
export type SmtpTls = 'required' | 'offered' | 'never'

export const defaultMailSettings: MailSettings = { url: null, from: null }

/** A sentence for each problem of the combined settings. No message repeats the address: it may contain a password. */
export function mailMistakes({ url, from }: MailSettings): string[] {
  const mistakes: string[] = []
  if (url !== null && !(/^smtps?:\/\//.test(url) && URL.canParse(url)))
    mistakes.push('mail.url must be the address of a mail server: smtp://HOST:PORT or smtps://USER:PASSWORD@HOST.')
  else if (url !== null) mistakes.push(...tlsMistakes(new URL(url)))
  if (url !== null && from === null) mistakes.push('mail.url needs mail.from, the sender: "Shop <shop@example.com>".')
  if (from !== null && !/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/.test(from))
    mistakes.push('mail.from must be an address: shop@example.com or "Shop <shop@example.com>".')
  return mistakes
}

function tlsMistakes({ protocol, searchParams }: URL): string[] {
  const tls = searchParams.get('tls')
  if (tls !== null && tls !== 'required' && tls !== 'never') return ['mail.url: tls must be "required" or "never".']
  return tls === 'never' && protocol === 'smtps:' ? ['mail.url: smtps:// is TLS. For tls=never write smtp://.'] : []
}

/** What `mail.url` says, or else: within this machine TLS is not necessary. */
export function readTls({ hostname, searchParams }: URL): SmtpTls {
  const tls = searchParams.get('tls')
  if (tls !== null) return tls === 'never' ? 'never' : 'required'
  return /^(localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname) ? 'offered' : 'required'
}
