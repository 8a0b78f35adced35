// Invitations in the schema, if the file does not use their names itself.

import type { Account } from '#model'
import { invitationFields, invitationType } from '#model/names'
import { block, described } from './sdl.ts'

export function invitationTypes({ login }: Account): string[] {
  return [
    described(
      'An invitation that waits. The same for an address with and without an account.',
      block(`type ${invitationType}`, [
        'id: ID!',
        described('To whom the invitation is mailed.', `${login.name}: String!`),
        'createdAt: DateTime!',
        described('Until then it can be accepted.', 'expiresAt: DateTime!'),
      ]),
    ),
  ]
}

export function invitationRootFields({ resource, login }: Account): Record<keyof typeof invitationFields, string> {
  const { create, list, resend, delete: withdraw } = invitationFields
  return {
    create: described(
      `Mails a link to the \`${login.name}\`, where its owner sets a password. That makes the ${resource.name}, with the rights that you have then. The input takes no password.`,
      `${create}(input: Create${resource.name}Input!): ${invitationType}`,
    ),
    list: described(
      'Your invitations that wait, the newest first. For the role admin: those of everybody.',
      `${list}: [${invitationType}!]!`,
    ),
    resend: described(
      'Mails an invitation that waits once more, with a new link, for seven days from now. The former link ends.',
      `${resend}(id: ID!): ${invitationType}`,
    ),
    delete: described('Withdraws an invitation.', `${withdraw}(id: ID!): DeleteResult`),
  }
}
