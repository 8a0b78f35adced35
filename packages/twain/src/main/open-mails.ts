// Where the mails of a service go: to its mail server, to its own code, or into memory.

import type { SendMail } from '#base'
import { defaultMailSettings, type Mailbox, MailerMissing, type MailSettings, openSmtp } from '#mail'
import { hasAddresses } from '#model'
import { StartRefused } from '#store'
import type { CodedSchema } from './read-files.ts'

export type MailTarget = SendMail | Mailbox

interface MailEnvironment {
  mail?: MailSettings
  mailbox?: Mailbox | null
  /** For commands, which serve nobody. */
  mayLackMail?: boolean
}

/** Null: the service sends no mails. Throws StartRefused if links in mails would lead nowhere, or the mailer is not installed. */
export async function openMails(
  { model, code }: CodedSchema,
  { mail: { url } = defaultMailSettings, mailbox = null, mayLackMail = false }: MailEnvironment,
  origins: readonly string[],
): Promise<MailTarget | null> {
  if (model.account === null || !hasAddresses(model.account)) return null
  const { send } = code.mail
  if (send === null && url === null) {
    if (mailbox === null && !mayLackMail && model.account.verification === 'REQUIRED')
      throw new StartRefused(
        '@account(verification: REQUIRED) mails codes to those who sign up: set mail.url and mail.from, or write mail.send in twain.config.ts.',
      )
    return mailbox
  }
  const hasOrigin = origins.some((origin) => URL.canParse(origin))
  if (!hasOrigin && mailbox === null)
    throw new StartRefused(
      'Mails have links to this service, so it needs its public address: set http.origin, such as https://api.example.com.',
    )
  if (send !== null) return send
  try {
    return await openSmtp(url!)
  } catch (error) {
    throw error instanceof MailerMissing ? new StartRefused(error.message) : error
  }
}
