// Sends mails by SMTP. The package nodemailer is loaded when a service is configured to send: others need not install it.

import type { SendMail } from '#base'
import { readTls, type SmtpTls } from './settings.ts'

/** The mail server refuses the mail for good: another attempt would be refused, too. */
export class MailRefused extends Error {}

/** nodemailer is not installed. */
export class MailerMissing extends Error {
  constructor(cause: unknown) {
    super('mail.url needs the package nodemailer. Install it: npm install nodemailer', { cause })
  }
}

/** The server, or somebody before it, offers no encryption: codes and passwords would be readable on the way. */
class TlsRefused extends Error {
  constructor(cause: unknown) {
    super(
      'The mail server did not start TLS, which smtp:// needs beyond this machine. Use smtps://, or smtp://…?tls=never in a network that you trust.',
      { cause },
    )
  }
}

/** The certificate of the server is not one that this machine trusts, or not for this address. */
class CertificateRefused extends Error {
  constructor(cause: Error) {
    super(
      `The certificate of the mail server is not valid: ${cause.message}. Renew it; for a test server, write smtp://…?tls=never.`,
      { cause },
    )
  }
}

const connectMs = 10_000
const answerMs = 30_000

/** Rejects with MailerMissing. */
export async function openSmtp(url: string): Promise<SendMail> {
  const { createTransport } = await loadMailer()
  const transport = createTransport(withOptions(new URL(url)).href)
  return async ({ from, to, subject, text, html }) => {
    try {
      // An object, so that the address is never read as a list of addresses.
      await transport.sendMail({ from: from!, to: { name: '', address: to }, subject, text, html })
    } catch (error) {
      const { responseCode, code = 'unknown error' } = error as { responseCode?: number; code?: string }
      if (code === 'ETLS') throw new TlsRefused(error)
      if (responseCode === undefined) throw isAboutCertificate(error) ? new CertificateRefused(error) : error
      if (responseCode >= 500 && isAboutMail(error))
        throw new MailRefused(`The mail server refused the mail: ${responseCode}.`, { cause: error })
      // The words of the server may have the address, which does not belong in the log.
      throw new Error(`The mail server answered ${responseCode} (${code}).`)
    }
  }
}

/** nodemailer replaces the code of such an error by its own. */
function isAboutCertificate(error: unknown): error is Error {
  return error instanceof Error && /certificate/i.test(error.message)
}

/** The options of nodemailer as parameters of the address: versions before 10 ignore options beside an address. */
function withOptions(url: URL): URL {
  const tls = readTls(url)
  url.searchParams.delete('tls')
  const options = {
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: answerMs,
    // A text of custom code may name a file or an address as its content.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(url.protocol === 'smtp:' && startTls[tls]),
  }
  for (const [name, value] of Object.entries(options)) url.searchParams.set(name, String(value))
  return url
}

const startTls: Readonly<Record<SmtpTls, object>> = {
  required: { requireTLS: true },
  offered: {},
  never: { ignoreTLS: true },
}

/** Wrong credentials of the service are a mistake that its operator can mend. */
function isAboutMail(error: unknown): boolean {
  return ['EENVELOPE', 'EMESSAGE'].includes((error as { code?: string }).code ?? '')
}

async function loadMailer(): Promise<typeof import('nodemailer')> {
  try {
    return (await import('nodemailer')).default as unknown as typeof import('nodemailer')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') throw new MailerMissing(error)
    throw error
  }
}
