// What a contract with accounts has beside its resources: tokens, and how one gets them.

import { type Account, withAliases } from '#model'
import type { TokenAction } from './root-fields.ts'
import { block, deprecation, described } from './sdl.ts'

export function tokenTypes({ login }: Account): string[] {
  return [
    described(
      'What a viewer signs in with: `authorization: Bearer <token>`.',
      block('type Token', [
        'id: ID!',
        described('To be sent with requests. Given once, when it is made.', 'token: String'),
        described('Makes the next token, once. Given once, when it is made.', 'refreshToken: String'),
        described(
          'When `token` ends; in the list, when it ends for good if it is not renewed.',
          'expiresAt: DateTime!',
        ),
        described(
          'For `?ticket=` of one event stream and its reconnects, to be used before `expiresAt`. Given instead of `token` where that was asked for.',
          'ticket: String',
        ),
        described('When it was made; told in the list.', 'createdAt: DateTime'),
        described('When it was made or last renewed; told in the list.', 'lastUsedAt: DateTime'),
      ]),
    ),
    described(
      `Either \`${login.name}\` and \`password\`, or \`refreshToken\` alone, or \`for\` alone.`,
      block('input CreateTokenInput', [
        ...withAliases([login]).map(({ name, alias, deprecated }) =>
          described(login.description, `${name}: String${name === alias ? deprecation(deprecated) : ''}`),
        ),
        'password: String',
        described('That of the token to renew.', 'refreshToken: String'),
        described('`"stream"`: a ticket for what can send no header, such as EventSource.', 'for: String'),
      ]),
    ),
  ]
}

export function tokenField(name: string, action: TokenAction): string {
  switch (action) {
    case 'create':
      return described(
        'Signs in, renews a token, or makes a ticket for a stream.',
        `${name}(input: CreateTokenInput!): Token!`,
      )
    case 'list':
      return described("The viewer's own tokens, the newest first.", `${name}: [Token!]!`)
    case 'delete':
      return described("Ends a token of the viewer's own.", `${name}(id: ID!): DeleteResult!`)
  }
}

/** A password is written and never read, so it is no field of the account. */
export const passwordInput = {
  create: described(
    '8 to 256 characters. A create needs it; a replace that leaves it out keeps it.',
    'password: String',
  ),
  update: described('8 to 256 characters. Changing it ends all other tokens of the account.', 'password: String'),
}
