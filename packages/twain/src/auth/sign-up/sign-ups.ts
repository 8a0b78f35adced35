// Sign-up where the address must be proven first (docs/internals/decisions/0084-sign-up.md).
//
// 1. Nothing tells whether the address is taken. A rehearsal judges the input as if it were free, the password is hashed, and the
//    same rows are written: a code, the kept input, a mail. Only the mail differs, and whether the code can be used.
// 2. Of a taken address, the mail goes to the owner, and has neither a code nor a link.
// 3. The input waits encrypted, with the hash of its password, for a day. The code and its secret make the row; whoever has both
//    has signed up and reads the mails. The link alone does not prove who signed up: the password of the sign-up does not count.

import { canonicalLogin, isOneAddress, validationError } from '#base'
import type { RequestCaller, Viewer } from '#base/http'
import type { Named } from '#model/names'
import type { BoundPlan, WritePlan } from '#plan'
import { captchaMember } from '#plan/build'
import { type CodeStore, type LoginHolder, type MailContents, wrongCode } from '#store'
import { issueCode } from '../codes/new-code.ts'
import type { Passwords } from '../sign-in/passwords.ts'
import { nameIn } from '../sign-in/sign-in-input.ts'
import type { DerivedKeys } from '../tokens/derived-keys.ts'
import { hashSecret } from '../tokens/hash-secret.ts'
import type { CreateSignedUp, IssuedCode, SignUpService, VerifiedAccount } from '../tokens.ts'

const lifetimeMs = 24 * 3_600_000

/** Judges the create as if its login were free, and undoes it. Rejects as the create would. */
export type RehearseSignUp = (boundPlan: BoundPlan<WritePlan>, viewer: Viewer, caller?: RequestCaller) => Promise<void>

export interface SignUpsOptions {
  login: Named
  store: CodeStore
  keys: DerivedKeys
  passwords: Pick<Passwords, 'hash'>
  rehearse: RehearseSignUp
  create: CreateSignedUp
  clock: () => number
}

/** What waits for the proof. */
interface KeptInput {
  input: Record<string, unknown>
  address: string
  /** The hash of the password. */
  password: string
}

export class SignUps implements SignUpService {
  readonly #options: SignUpsOptions

  constructor(options: SignUpsOptions) {
    this.#options = options
  }

  /** `boundPlan` creates the account from the input. */
  async begin(
    boundPlan: BoundPlan<WritePlan>,
    input: Record<string, unknown>,
    viewer: Viewer,
    caller?: RequestCaller,
  ): Promise<IssuedCode> {
    const { login, store, keys, passwords, rehearse, clock } = this.#options
    await rehearse(boundPlan, viewer, caller)
    const address = String(input[nameIn(input, login)!])
    if (!isOneAddress(address)) {
      const message = 'must be an address: a code is mailed to it.'
      throw validationError([{ path: login.name, code: 'PATTERN', message }])
    }
    const { password: typed, [captchaMember]: _, ...others } = input
    const password = await passwords.hash(String(typed), caller?.client ?? '')
    const holder = await store.holderOf(address, clock())
    const kept: KeptInput = { input: others, address, password }
    const body = await keys.seal(JSON.stringify(kept), 'sign-up')
    const signUp = { account: holder?.account ?? null, body, expires: clock() + lifetimeMs }
    return issueCode(
      { purpose: 'VERIFY', login: canonicalLogin(address), account: null, mail: mailFor(address, holder), signUp },
      this.#options,
    )
  }

  /** Mails another code for a sign-up that waits. Null: there is none with this secret. */
  async sendAgain(address: string, secret: string): Promise<IssuedCode | null> {
    const { store, clock } = this.#options
    const earlierCode = hashSecret(secret)
    const found = await store.signUp(earlierCode, clock())
    const kept = found && (await this.#open(found.body))
    const login = canonicalLogin(address)
    if (kept === null || canonicalLogin(kept.address) !== login) return null
    const holder = await store.holderOf(kept.address, clock())
    const mail = mailFor(kept.address, holder)
    return issueCode({ purpose: 'VERIFY', login, account: null, mail, signUp: { earlierCode } }, this.#options)
  }

  /** Creates the account whose address the code proves. `password` is the hash of another one than that of the sign-up. */
  async finish(
    code: string,
    create: CreateSignedUp = this.#options.create,
    password?: { hash: string | null },
  ): Promise<VerifiedAccount> {
    const { store, clock } = this.#options
    const now = clock()
    const found = await store.signUp(code, now)
    const kept = found?.account === null ? await this.#open(found.body) : null
    if (kept === null) throw wrongCode()
    const { input, address } = kept
    const hash = password === undefined ? kept.password : password.hash
    const account = await create(input, { by: { kind: 'code', id: code }, address, password: hash, now })
    return { account, verifiedAt: new Date(now).toISOString() }
  }

  async #open(body: string): Promise<KeptInput | null> {
    const text = await this.#options.keys.open(body, 'sign-up')
    return text === null ? null : (JSON.parse(text) as KeptInput)
  }
}

/** The address of a sign-up has no account, so that there is no other spelling of it than that of the request. */
function mailFor(address: string, holder: LoginHolder | null): Pick<MailContents, 'kind' | 'to'> {
  if (holder === null) return { kind: 'SIGN_UP', to: { account: null, address } }
  const { account, address: stored } = holder
  return { kind: 'SIGN_UP_TAKEN', to: stored === null ? null : { account, address: stored } }
}
