// Signing in, and passwords, for a model with accounts. The built-in SDL declares the type `Token`.

import type { Account, StoredField } from '#model'
import { withAliases } from '#model/names'
import { block, deprecation, described } from './sdl.ts'

export function signInTypes({ login }: Account): string[] {
  return [
    described(
      `Either \`${login.name}\` and \`password\`, or \`refreshToken\` alone, or \`for\` alone.`,
      block('input CreateTokenInput', [
        ...withAliases<StoredField>([{ ...login, deprecated: null }]).map(({ name, description, deprecated }) =>
          described(description, `${name}: String${deprecation(deprecated)}`),
        ),
        'password: String',
        described('The refresh token of the token to renew.', 'refreshToken: String'),
        described('`"stream"`: a ticket, for clients without headers such as EventSource.', 'for: String'),
      ]),
    ),
  ]
}

export function signInField(name: string): string {
  return described(
    'Signs in, renews a token, or creates a ticket for a stream.',
    `${name}(input: CreateTokenInput!): Token!`,
  )
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
  current: described(
    'Your current password, to change your own password or login in a replace or an update. Not needed within five minutes of a sign-in.',
    'currentPassword: String',
  ),
}
