// Checks `mails` and `mail.send` of `twain.config.ts`.

import { didYouMean, isRecord, type MailKind, type MailTexts, type SendMail } from '#base'
import { hasAddresses, type Model } from '#model'
import { configName } from './load-config.ts'

export interface BoundMail {
  /** The texts that replace built-in ones. */
  texts: Partial<MailTexts>
  /** Null: the code sends no mails. */
  send: SendMail | null
}

const kinds: readonly MailKind[] = [
  'reset',
  'signIn',
  'verify',
  'changeLogin',
  'loginChanged',
  'signUp',
  'signUpTaken',
  'invite',
  'inviteTaken',
]

export function bindMail(exported: unknown, { account }: Model, mistakes: string[]): BoundMail {
  const { mails, mail } = isRecord(exported) ? exported : {}
  const send = isRecord(mail) ? mail.send : undefined
  const texts: Record<string, unknown> = isRecord(mails) ? mails : {}
  if (mails !== undefined && !isRecord(mails)) mistakes.push(`${configName}: mails must be an object of functions.`)
  if (send !== undefined && typeof send !== 'function') mistakes.push(`${configName}: mail.send must be a function.`)
  for (const [kind, text] of Object.entries(texts)) {
    if (!(kinds as readonly string[]).includes(kind))
      mistakes.push(`${configName}: mails.${kind}: there is no such mail.${didYouMean(kind, kinds)}`)
    else if (typeof text !== 'function') mistakes.push(`${configName}: mails.${kind} must be a function.`)
  }
  if ((mails !== undefined || send !== undefined) && (account === null || !hasAddresses(account))) {
    const what = mails === undefined ? 'mail.send' : 'mails'
    mistakes.push(
      `${configName}: ${what}: the service has no mails to send. They need an @account type whose login is an email address.`,
    )
  }
  if (typeof send !== 'function') return { texts: texts as Partial<MailTexts>, send: null }
  return { texts: texts as Partial<MailTexts>, send: async (message) => void (await send(message)) }
}
