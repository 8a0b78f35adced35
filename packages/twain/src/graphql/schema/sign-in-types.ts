// Signing in, and passwords, for a model with accounts. The built-in SDL declares the type `Token`.

import { type Account, hasAddresses, type StoredField } from '#model'
import { withAliases } from '#model/names'
import { block, deprecation, described } from './sdl.ts'

export function signInTypes(account: Account): string[] {
  const { login } = account
  const hasCodes = hasAddresses(account)
  const byCode = hasCodes ? `, or \`${login.name}\`, \`code\` and \`secret\`` : ''
  return [
    described(
      `Either \`${login.name}\` and \`password\`${byCode}, or \`code\` and \`verifier\`, or \`refreshToken\` alone, or \`for\` alone, or \`as\` with \`readOnly\` and \`reason\`.`,
      block('input CreateTokenInput', [
        ...loginInputs(login, 'String'),
        hasCodes ? described('With `code`: the new password, for a reset.', 'password: String') : 'password: String',
        described(
          hasCodes ? 'The code of a mail, or of a sign-in with a provider.' : 'The code of a sign-in with a provider.',
          'code: String',
        ),
        ...(hasCodes ? [secretMember] : []),
        described('With `code`, after a sign-in with a provider: the verifier of its challenge.', 'verifier: String'),
        described('With `verifier`: fields of a new account that the provider does not give.', 'input: JSON'),
        described(
          'The `device` of an earlier sign-in to the account, so that failures of others do not slow this one down.',
          'device: String',
        ),
        captchaMember,
        described('The refresh token of the token to renew.', 'refreshToken: String'),
        described('`"stream"`: a ticket, for clients without headers such as EventSource.', 'for: String'),
        described('Act as an account or a role, for 15 minutes, if a rule allows ACT_AS.', 'as: CreateTokenAsInput'),
        described('With `as`: the session may only read. Default: true without a `reason`.', 'readOnly: Boolean'),
        described('With `as`: why. Required to write.', 'reason: String'),
      ]),
    ),
    described(
      'Either `account` or `role`.',
      block('input CreateTokenAsInput', [
        described('The id of the account.', 'account: ID'),
        described('A role, without an account.', 'role: String'),
      ]),
    ),
    block('input CreateIdentityInput', [
      described('The code of a sign-in with a provider.', 'code: String!'),
      described('The verifier of its challenge.', 'verifier: String!'),
      described('Your current password. Not needed within five minutes of a sign-in.', 'currentPassword: String'),
    ]),
    ...(hasCodes ? codeTypes(account) : []),
    ...(account.verification === 'OFF' ? [] : verificationTypes(login)),
    ...(account.verification === 'REQUIRED' ? [signUpResult] : []),
  ]
}

function loginInputs(login: StoredField, type: string): string[] {
  return withAliases<StoredField>([{ ...login, deprecated: null }]).map(({ name, description, deprecated }) =>
    described(description, `${name}: ${type}${deprecation(deprecated)}`),
  )
}

const captchaMember = described('For `attempt` in twain.config.ts, if the service asks for one.', 'captcha: String')
const secretMember = described('The secret of `createCode`, which belongs to the code.', 'secret: String')
const codeMembers = [described('The code of a mail.', 'code: String'), secretMember]

const earlierSecret = described(
  'With `VERIFY`, for a sign-up that waits: the secret of `signUp`, or of the last code. The new code takes the place of that one.',
  'secret: String',
)

const signUpResult = described(
  'The same for an address with and without an account.',
  block('type SignUpResult', [
    described('Belongs to the code of the mail; `verifyAccount` takes both.', 'secret: String!'),
    described('When the code expires. `createCode` mails another one for a day.', 'expiresAt: DateTime!'),
  ]),
)

export function signUpField(name: string, { resource, login }: Account): string {
  return described(
    `Signs up: mails a code to the \`${login.name}\`. \`verifyAccount\` with the code makes the ${resource.name}. Nothing tells whether the address has an account.`,
    `${name}(input: Create${resource.name}Input!): SignUpResult`,
  )
}

function codeTypes({ login, verification }: Account): string[] {
  const verifies = verification !== 'OFF'
  return [
    described(
      `What a code is for. RESET: a new password. SIGN_IN: a sign-in without a password.${verifies ? ' VERIFY: the proof of the address.' : ''}`,
      block('enum CodePurpose', ['RESET', 'SIGN_IN', ...(verifies ? ['VERIFY'] : [])]),
    ),
    block('input CreateCodeInput', [
      'for: CodePurpose!',
      ...loginInputs(login, 'String'),
      ...(verification === 'REQUIRED' ? [earlierSecret] : []),
      captchaMember,
    ]),
    described(
      'The same for an address with and without an account.',
      block('type Code', [
        described('Belongs to the code of the mail; `createToken` takes both.', 'secret: String!'),
        described('When the code expires.', 'expiresAt: DateTime!'),
      ]),
    ),
    described(
      'A mail that `twain dev` keeps in memory, because it has no mail server.',
      block('type Mail', [
        'to: String!',
        'subject: String!',
        'text: String!',
        'html: String',
        described('The code in its text.', 'code: String!'),
        described('The link in its text.', 'url: String'),
        'createdAt: DateTime!',
      ]),
    ),
  ]
}

function verificationTypes(login: StoredField): string[] {
  return [
    block('input VerifyAccountInput', [...loginInputs(login, 'String'), ...codeMembers]),
    described(
      'An account whose address is proven.',
      block('type Verification', [
        described('The id of the account.', 'account: ID!'),
        described('When the address was proven.', 'verifiedAt: DateTime!'),
      ]),
    ),
  ]
}

export function verifyField(name: string): string {
  return described(
    'Proves an address by the code of a mail. If nobody had proven it before, and the viewer is not signed in to the account, it loses its password, sessions and identities.',
    `${name}(input: VerifyAccountInput!): Verification`,
  )
}

export function codeField(name: string): string {
  return described(
    'Mails a code to an address, if it has an account; nothing tells whether it has.',
    `${name}(input: CreateCodeInput!): Code`,
  )
}

export function mailsField(name: string): string {
  return described('The mails that `twain dev` keeps, the newest first. Other services keep none.', `${name}: [Mail!]!`)
}

export function linkField(name: string): string {
  return described(
    'Attaches an identity at a provider to your account, as another way to sign in.',
    `${name}(input: CreateIdentityInput!): Identity`,
  )
}

export function signInField(name: string): string {
  return described(
    'Signs in, renews a token, acts as somebody, or creates a ticket for a stream.',
    `${name}(input: CreateTokenInput!): Token`,
  )
}

export function endSessionsField(name: string): string {
  const args = [
    described('False: all sessions but that of this request.', 'current: Boolean'),
    described('True: every session, also that of this request.', 'all: Boolean'),
    described('The account, for the role admin; default: that of the viewer.', 'account: ID'),
  ]
  return described('Ends sessions of an account, within a second.', `${name}(${args.join('\n')}): BulkResult`)
}

/** Passwords can be written but never read, so they are no fields of the account type. */
export const passwordInput = {
  create: described(
    '8 to 256 characters, and not a common password. Required to create; a replace without it does not change it.',
    'password: String',
  ),
  update: described(
    '8 to 256 characters, and not a common password. A change revokes all other tokens of the account.',
    'password: String',
  ),
  captcha: described(
    'For `attempt` in twain.config.ts, if the service asks those who sign up for one.',
    '_captcha: String',
  ),
  locked: described(
    'Locks the account (true) or unlocks it (false), for the role admin. A locked account has no sessions, and nobody signs in to it.',
    '_locked: Boolean',
  ),
  confirm: described(
    'Your current password, to delete your own account. Not needed within five minutes of a sign-in.',
    'currentPassword: String',
  ),
  current: described(
    'Your current password, to change your own password or login in a replace or an update. Not needed within five minutes of a sign-in.',
    'currentPassword: String',
  ),
}
