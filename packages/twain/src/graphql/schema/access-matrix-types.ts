// The types of `accessMatrix`, and the field.

import { matrixField, matrixTypes } from '#model/names'
import { entryActions } from '#plan/explain'
import { block, described } from './sdl.ts'

const { matrix, entry, rule } = matrixTypes

export const matrixTypesSdl: readonly string[] = [
  described(
    'Who may do what, by the rules of the schema file.',
    block(`type ${matrix}`, [
      described('The kinds of viewers that the rules tell apart: `nobody`, `role:editor`.', 'viewers: [String!]!'),
      `entries: [${entry}!]!`,
    ]),
  ),
  described(
    'One action of one kind of viewer on the rows of a type, on a field, a transition, or a custom operation.',
    block(`type ${entry}`, [
      described('Of a custom operation `Query` or `Mutation`.', 'type: String!'),
      described('The field or custom operation. Null: the rows of the type.', 'field: String'),
      described(`${entryActions.map((one) => `\`${one}\``).join(', ')}.`, 'action: String!'),
      described('Of a transition: the state before.', 'from: String'),
      described('Of a transition: the next state.', 'to: String'),
      'viewer: String!',
      described('`ALWAYS`, `WHERE` (on some rows) or `NEVER`.', 'allowed: String!'),
      described('In a few words: `always`, `never`, `where author`.', 'when: String!'),
      described('All rules about this action.', `rules: [${rule}!]!`),
    ]),
  ),
  block(`type ${rule}`, [
    described('The directive, with its filter in words.', 'rule: String!'),
    described('Its file and line.', 'place: String!'),
    described('Whether it allows the action to this kind of viewer, always or on some rows.', 'decides: Boolean!'),
  ]),
]

export const matrixRootField: string = described(
  'Who may do what, and by which rules. For the role admin.',
  `${matrixField}(${[
    described('Only this type: `Post`.', 'type: String'),
    described('Only this kind of viewer: `nobody`, `role:editor`.', 'as: String'),
    described('Only this action.', 'action: String'),
  ].join('\n')}): ${matrix}!`,
)
