// The types and fields of tokens, for a model with accounts.

import type { Account, StoredField } from '#model'
import { withAliases } from '#model/names'
import type { TokenAction } from './root-fields.ts'
import { block, deprecation, described } from './sdl.ts'

export function tokenTypes({ login }: Account): string[] {
  return [
    described(
      'The credentials of a viewer: `authorization: Bearer <token>`.',
      block('type Token', [
        'id: ID!',
        described('The access token. Only `createToken` returns it.', 'token: String'),
        described('Renews the token, once. Only `createToken` returns it.', 'refreshToken: String'),
        described('When `token` expires; in the list, when it can no longer be renewed.', 'expiresAt: DateTime!'),
        described(
          'For `?ticket=` of one event stream and its reconnects, before `expiresAt`. `createToken` returns it instead of `token` if the input has `for`.',
          'ticket: String',
        ),
        described('When it was created; only in the list.', 'createdAt: DateTime'),
        described('When it was created or last renewed; only in the list.', 'lastUsedAt: DateTime'),
      ]),
    ),
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

export function tokenField(name: string, action: TokenAction): string {
  switch (action) {
    case 'create':
      return described(
        'Signs in, renews a token, or creates a ticket for a stream.',
        `${name}(input: CreateTokenInput!): Token!`,
      )
    case 'list':
      return described("The viewer's tokens, the newest first.", `${name}: [Token!]!`)
    case 'delete':
      return described('Revokes a token of the viewer.', `${name}(id: ID!): DeleteResult!`)
  }
}

/** Passwords can be written but never read, so they are no fields of the account type. */
export const passwordInput = {
  create: described(
    '8 to 256 characters. Required to create; a replace without it does not change it.',
    'password: String',
  ),
  update: described('8 to 256 characters. A change revokes all other tokens of the account.', 'password: String'),
  current: described(
    'Your current password, to change your own password or login in a replace or an update. Not needed within five minutes of a sign-in.',
    'currentPassword: String',
  ),
}
