// The types of `rowAccess`, and the field.

import { accessField, accessTypes } from '#model/names'
import { block, described } from './sdl.ts'

const { access, viewer, answer, rule } = accessTypes

export const accessTypesSdl: readonly string[] = [
  described(
    'What a viewer may do with a row, and which rules of the schema file decide.',
    block(`type ${access}`, [`viewer: ${viewer}!`, `answers: [${answer}!]!`]),
  ),
  described(
    'Of whom the answers are.',
    block(`type ${viewer}`, [
      'account: ID',
      'roles: [String!]!',
      described('Whether the address of the account is proven.', 'verified: Boolean!'),
      described('A locked account can not sign in, so nothing is allowed.', 'locked: Boolean!'),
    ]),
  ),
  described(
    'One action on the row, on one of its fields, or one transition from the state that it has.',
    block(`type ${answer}`, [
      described('`READ`, `UPDATE` or `DELETE`.', 'action: String!'),
      described('Null: the row itself.', 'field: String'),
      described('Of a transition: the state that the row has.', 'from: String'),
      described('Of a transition: the next state.', 'to: String'),
      described('Null: it depends on values that you may not read.', 'allowed: Boolean'),
      described('The rule that decides, and its place in the schema file.', 'because: String!'),
      described('All rules that could allow it.', `rules: [${rule}!]!`),
    ]),
  ),
  block(`type ${rule}`, [
    described('The directive, with its filter in words.', 'rule: String!'),
    described('Its file and line.', 'place: String!'),
    described(
      'Whether it allows the action to this viewer on this row. Null: it depends on values that you may not read.',
      'holds: Boolean',
    ),
  ]),
]

export const accessRootField: string = described(
  'What a viewer may do with a row, and why. For the role admin, on rows that you may read.',
  `${accessField}(${[
    described('The path of its collection: `posts`.', 'resource: String!'),
    'id: ID!',
    described('`nobody`, `role:editor` or `account:<id>`; default: you.', 'as: String'),
  ].join('\n')}): ${access}!`,
)
