// The texts of mails, for services that have none of their own.

import type { MailText, MailTexts, MailValues } from '#base'
import { encodeHtml } from '#base'

const tenMinutes = 'It is valid for ten minutes and works once.'
const nothingChanged = 'If you did not ask for this, you can ignore this mail: nothing has changed.'

export const defaultTexts: MailTexts = {
  reset: (values) =>
    mailText(values, {
      subject: `${values.service}: reset your password`,
      intro: 'Use this code to set a new password:',
      button: 'Set a new password',
    }),
  signIn: (values) =>
    mailText(values, {
      subject: `${values.service}: your code to sign in`,
      intro: 'Use this code to sign in:',
      button: null,
    }),
  verify: (values) =>
    mailText(values, {
      subject: `${values.service}: confirm your address`,
      intro: 'Use this code to confirm that this is your address:',
      button: 'Confirm the address',
    }),
  changeLogin: (values) =>
    mailText(values, {
      subject: `${values.service}: confirm your new address`,
      intro: 'Use this code to confirm that this is the new address of your account:',
      button: 'Confirm the address',
      lifetime: 'It is valid for a day and works once.',
    }),
  loginChanged: noticeText,
  signUp: (values) =>
    mailText(values, {
      subject: `${values.service}: confirm your address to sign up`,
      intro: 'Use this code to confirm that this is your address, and to sign up:',
      button: 'Sign up',
      unasked: 'If you did not ask for this, you can ignore this mail: there is no account with your address.',
    }),
  signUpTaken: takenText,
  invite: inviteText,
  inviteTaken: ({ service }) =>
    plainText(service, `${service}: you are invited, and have an account already`, [
      'Somebody has invited you with this address. It has an account already: sign in as before.',
      'If you expected no invitation, you can ignore this mail: nothing has changed.',
    ]),
}

function inviteText({ url, service }: Omit<MailValues, 'account'>): MailText {
  const subject = `${service}: you are invited`
  const intro = `You are invited to ${service}. Open this page within seven days, and set a password:`
  const unexpected =
    'If you expected no invitation, you can ignore this mail: there is no account without your password.'
  const text = `${[intro, `    ${url}`, unexpected, `-- \n${service}`].join('\n\n')}\n`
  const link = `<p><a href="${encodeHtml(url ?? '')}">Accept the invitation</a></p>`
  return { subject: oneLine(subject), text, html: page(subject, [paragraph(intro), link, paragraph(unexpected)]) }
}

/** Whoever signs up must not learn that the address has an account; its owner may. */
function takenText({ service }: MailValues): MailText {
  const subject = `${service}: you have an account already`
  const intro = 'Somebody, perhaps you, wanted to sign up with this address. It has an account already.'
  const sentences = [
    intro,
    'If it was you, sign in as before, or ask for a new password in the application.',
    'If it was not you, you can ignore this mail: nothing has changed, and nobody was told that you have an account.',
  ]
  return plainText(service, subject, sentences)
}

function plainText(service: string, subject: string, sentences: readonly string[]): MailText {
  const text = `${[...sentences, `-- \n${service}`].join('\n\n')}\n`
  return { subject: oneLine(subject), text, html: page(subject, sentences.map(paragraph)) }
}

/** The mails with a code are about one; this one is about what has happened. */
function noticeText({ url, service }: MailValues): MailText {
  const subject = `${service}: your address is being changed`
  const intro =
    'Somebody has asked to change the address of your account to another one. If it was you, there is nothing to do.'
  const undo = 'If it was not you, undo it within seven days. That also ends all sessions and removes the password:'
  const paragraphs = [intro, undo, `    ${url}`, `-- \n${service}`]
  const html = [paragraph(intro), paragraph(undo), `<p><a href="${encodeHtml(url ?? '')}">Undo the change</a></p>`]
  return { subject: oneLine(subject), text: `${paragraphs.join('\n\n')}\n`, html: page(subject, html) }
}

interface Wording {
  subject: string
  intro: string
  /** The text of the link; null: the mail has none. */
  button: string | null
  /** How long the code is valid; absent: ten minutes. */
  lifetime?: string
  /** What people who asked for nothing may think of it. */
  unasked?: string
}

function mailText(
  { code, url, service }: Omit<MailValues, 'account'>,
  { subject, intro, button, lifetime = tenMinutes, unasked = nothingChanged }: Wording,
): MailText {
  const shown = `${code.slice(0, 4)}-${code.slice(4)}`
  const link = url === null || button === null ? null : { url, button }
  const closing = 'Never give the code to anybody, not even to us.'
  const paragraphs = [intro, `    ${shown}`, lifetime]
  if (link !== null) paragraphs.push(`Or open this page: ${link.url}`)
  paragraphs.push(closing, unasked, `-- \n${service}`)
  const html = [
    paragraph(intro),
    `<p style="font:600 28px/1.4 ui-monospace,monospace;letter-spacing:2px;margin:16px 0">${encodeHtml(shown)}</p>`,
    paragraph(lifetime),
    ...(link === null ? [] : [`<p><a href="${encodeHtml(link.url)}">${encodeHtml(link.button)}</a></p>`]),
    paragraph(closing),
    `<p style="color:#666">${encodeHtml(unasked)}</p>`,
  ]
  return { subject: oneLine(subject), text: `${paragraphs.join('\n\n')}\n`, html: page(subject, html) }
}

function page(title: string, parts: readonly string[]): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${encodeHtml(title)}</title></head>` +
    `<body style="font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:24px auto;padding:0 16px">${parts.join('\n')}</body></html>`
  )
}

function paragraph(text: string): string {
  return `<p>${encodeHtml(text)}</p>`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
