// The mails of `twain dev` without a mail server: they stay in memory, and the APIs show them.

import type { MailMessage } from '#base'
import { ApiError } from '#base'

export interface KeptMail extends Omit<MailMessage, 'from'> {
  /** What the text has, for tests and tools. */
  code: string
  url: string | null
  /** RFC 3339 in UTC. */
  createdAt: string
}

const maxMails = 100

export class Mailbox {
  /** Where the server listens, for links; null before it does. */
  origin: string | null = null
  #mails: readonly KeptMail[] = []

  /** The newest first. */
  get mails(): readonly KeptMail[] {
    return this.#mails
  }

  keep(mail: KeptMail): void {
    this.#mails = [mail, ...this.#mails].slice(0, maxMails)
  }
}

/** The mails, the newest first. Throws NOT_FOUND if the service keeps none. */
export function keptMails(mailbox: Mailbox | null): readonly KeptMail[] {
  if (mailbox !== null) return mailbox.mails
  throw new ApiError('NOT_FOUND', 'This service keeps no mails.', {
    hint: 'Only twain dev shows the mails that it would send, if mail.url is not set.',
  })
}
