// Sends the mails of the queue (docs/internals/decisions/0073-mail-and-codes.md).
//
// 1. The body of a mail is encrypted, and is deleted when the mail is sent, is refused, or its code ends.
// 2. A mail that could not be sent is tried again until its code ends.
// 3. No log line has an address, a code or a link.

import type { AccountMailKind, MailKind, MailText, MailTexts, SendMail } from '#base'
import { exceptionFields, type Gauge, isOneAddress, type Log } from '#base'
import { clearInterval, setInterval } from '#base/time'
import { QueueWorker, type RunningJob, retryDelayMs } from '#jobs'
import type { AddressedAccount, CodeStore, JobOutcome, JobStore, MailContents, MailPurpose } from '#store'
import type { Mailbox } from './mailbox.ts'
import { MailRefused } from './smtp.ts'

export interface MailWorkerOptions {
  jobs: JobStore
  codes: CodeStore
  /** Decrypts a body; null if its key is gone. */
  open(body: string): Promise<string | null>
  texts: MailTexts
  /** The row of an account; null if there is none. */
  accountRow(id: string): Promise<Readonly<Record<string, unknown>> | null>
  /** Where mails go: to the mail server or the code of the service, or into memory. */
  to: SendMail | Mailbox
  from: string | null
  service: string
  /** The public origin of the service with its base path. Null: links have no origin, which only `twain dev` permits. */
  origin(): string | null
  log: Log
  /** Milliseconds since 1970. */
  clock: () => number
}

const name = 'mail'
const concurrency = 5
const leaseMs = 60_000
const maxEndMs = 5_000
const pruneIntervalMs = 60_000
const retentionMs = 3_600_000
const pauses = { firstRetrySeconds: 2, maxRetryIntervalSeconds: 60 }
/** To an address without an account, or without a password. */
const guestKinds = { SIGN_UP: 'signUp', INVITATION: 'invite' } as const
const kinds: Readonly<Record<Exclude<MailPurpose, keyof typeof guestKinds>, AccountMailKind>> = {
  RESET: 'reset',
  SIGN_IN: 'signIn',
  VERIFY: 'verify',
  CHANGE: 'changeLogin',
  UNDO: 'loginChanged',
  SIGN_UP_TAKEN: 'signUpTaken',
  INVITATION_TAKEN: 'inviteTaken',
}

export class MailWorker {
  readonly #options: MailWorkerOptions
  readonly #capacity = new Map([[name, concurrency]])
  #worker: QueueWorker | null = null
  #timer: NodeJS.Timeout | null = null
  #stopping: Promise<void> | null = null
  #sent = 0
  #failures = 0

  constructor(options: MailWorkerOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { jobs, log } = this.#options
    if (!jobs.isShared) await jobs.release('mail', null) // left by a killed process
    this.#worker = new QueueWorker({
      kind: 'mail',
      store: jobs,
      leaseMs,
      log,
      capacity: () => this.#capacity,
      concurrency,
      run: (_name, claimed) => claimed.map((job) => this.#attempt(job)),
    })
    this.#worker.wake()
    this.#timer = setInterval(() => void this.#prune(), pruneIntervalMs).unref()
  }

  stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#stopping ??= this.#worker?.stop(0, maxEndMs) ?? Promise.resolve()
    return this.#stopping
  }

  gauges(): Gauge[] {
    return [
      {
        name: 'mails_sent_total',
        kind: 'counter',
        about: 'Mails that this node has given to the mail server.',
        value: () => this.#sent,
      },
      {
        name: 'mail_failures_total',
        kind: 'counter',
        about: 'Attempts to send a mail that failed on this node.',
        value: () => this.#failures,
      },
    ]
  }

  async #attempt({ id, tries, attempts, payload }: RunningJob): Promise<JobOutcome> {
    const { codes, log, clock } = this.#options
    const mail = (JSON.parse(payload) as { mail: string }).mail
    try {
      const body = await codes.mail(mail, clock())
      const contents = body === null ? null : await this.#options.open(body)
      if (contents !== null) await this.#send(JSON.parse(contents) as MailContents)
      if (body !== null) await codes.deleteMail(mail)
      return { state: 'done', attempts }
    } catch (error) {
      this.#failures++
      if (error instanceof MailRefused) {
        await codes.deleteMail(mail)
        log.error({ mail_id: id, ...exceptionFields(error) }, 'mail refused; giving up')
        return { state: 'failed', attempts }
      }
      const delayMs = retryDelayMs(tries, pauses)
      log.warn(
        { mail_id: id, retry_seconds: Math.round(delayMs / 1000), ...exceptionFields(error) },
        'mail not sent; retrying',
      )
      return { state: 'waiting', delayMs, attempts }
    }
  }

  /** An address without an account gets nothing. */
  async #send({ kind, to: recipient, code, link }: MailContents): Promise<void> {
    const to = recipient !== null && 'change' in recipient ? await this.#ofChange(kind, recipient.change) : recipient
    if (to === null || !isOneAddress(to.address)) return
    const { texts, accountRow, service, origin, from, log } = this.#options
    const url = link === null ? null : `${origin() ?? ''}/codes/link?token=${link}`
    const values = { code, url, service }
    const textName = kind === 'SIGN_UP' || kind === 'INVITATION' ? guestKinds[kind] : kinds[kind]
    let text: MailText
    if (textName === 'signUp' || textName === 'invite') text = await texts[textName]({ ...values, account: null })
    else {
      const account = to.account === null ? null : await accountRow(to.account)
      if (account === null) return
      text = await texts[textName]({ ...values, account })
    }
    const made = expectText(text, textName)
    const message = { to: to.address, ...made }
    const target = this.#options.to
    if (typeof target === 'function') {
      await target({ from, ...message })
      this.#sent++
      return
    }
    target.keep({ ...message, code, url, createdAt: new Date(this.#options.clock()).toISOString() })
    log.info(
      { mail: textName, to: to.address, code, ...(url === null ? {} : { url }) },
      'mail kept: mail.url is not set',
    )
  }

  /** Null: the change has ended. */
  async #ofChange(kind: MailPurpose, id: string): Promise<AddressedAccount | null> {
    const change = await this.#options.codes.change(id)
    return change && { account: change.account, address: kind === 'CHANGE' ? change.address : change.former }
  }

  async #prune(): Promise<void> {
    const { codes, jobs, log } = this.#options
    try {
      await codes.prune()
      await jobs.prune('mail', retentionMs)
    } catch (error) {
      log.warn(exceptionFields(error), 'old codes and mails could not be deleted')
    }
  }
}

function expectText(made: MailText, kind: MailKind): MailText {
  const { subject, text, html } = made ?? {}
  if (typeof subject !== 'string' || typeof text !== 'string' || (html !== undefined && typeof html !== 'string'))
    throw new Error(`mails.${kind} must return { subject, text, html }`)
  return { subject, text, html }
}
