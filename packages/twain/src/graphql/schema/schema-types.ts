// The types of `servedSchema` and `schemaChanges`, and the fields. The lists are flat, so that one document can have them all.

import { schemaFields, schemaTypes } from '#model/names'
import { block, described } from './sdl.ts'

const place = [described('A schema file.', 'file: String!'), described('From 1.', 'line: Int!')]

export const schemaTypesSdl: readonly string[] = [
  described(
    'The schema that the service serves.',
    block(`type ${schemaTypes.served}`, [
      `types: [${schemaTypes.type}!]!`,
      described(
        'The fields of all types, the values of enums, and custom operations.',
        `fields: [${schemaTypes.field}!]!`,
      ),
      described('The `@allow` rules.', `rules: [${schemaTypes.rule}!]!`),
      described('The transitions of all state machines (`@next`).', `transitions: [${schemaTypes.transition}!]!`),
      described('What in the schema file depends on each field.', `dependencies: [${schemaTypes.dependency}!]!`),
      described('The files that are served.', `files: [${schemaTypes.file}!]!`),
      described('Whether the server notices changes of the files, as in `twain dev`.', 'watched: Boolean!'),
      described(
        'The files as they are now, if the server can not serve them; null: it serves them.',
        `pending: ${schemaTypes.pending}`,
      ),
      described('The first day on which uses were counted.', 'since: String'),
      described(
        'The last days on which each client used each type, field and operation.',
        `uses: [${schemaTypes.use}!]!`,
      ),
    ]),
  ),
  block(`type ${schemaTypes.type}`, [
    'name: String!',
    described(
      '`resource`, `view`, `interface`, `union`, `value`, `input`, `enum`, `scalar`, or `root` for custom operations.',
      'kind: String!',
    ),
    described('The path of its collection; null: it has none.', 'path: String'),
    'description: String',
    described('The interfaces and unions of which it is a member.', 'memberOf: [String!]!'),
    described('The hooks of custom code that get its rows: `before`, `after` or `on`.', 'hooks: [String!]!'),
    ...place,
  ]),
  block(`type ${schemaTypes.field}`, [
    described('The type that has it.', 'of: String!'),
    'name: String!',
    described('`value`, `reference`, `list`, `computed`, `enumValue` or `operation`.', 'kind: String!'),
    described('As in the schema file.', 'type: String!'),
    described('The type of the schema file that it leads to.', 'to: String'),
    described('The field of `to` that is its other side.', 'inverse: String'),
    'unique: Boolean!',
    'description: String',
    'deprecated: String',
    described('The first state, if the field is a state machine.', 'start: String'),
    ...place,
  ]),
  block(`type ${schemaTypes.rule}`, [
    'of: String!',
    described('Null: a rule of the type.', 'field: String'),
    described('The directive, with its filter in words.', 'rule: String!'),
    ...place,
  ]),
  block(`type ${schemaTypes.transition}`, [
    'of: String!',
    'field: String!',
    'from: String!',
    'to: String!',
    described('Who can make it, and under which condition; empty: whoever may update the row.', 'who: String!'),
    described('The directive, with its filter in words.', 'rule: String!'),
    ...place,
  ]),
  block(`type ${schemaTypes.dependency}`, [
    'of: String!',
    'field: String!',
    described(
      '`rule`, `transition`, `index`, `search`, `label`, `computed`, `account`, or `key` of a view.',
      'by: String!',
    ),
    described('What depends on the field.', 'what: String!'),
    ...place,
  ]),
  block(`type ${schemaTypes.file}`, ['name: String!', 'text: String!']),
  block(`type ${schemaTypes.pending}`, [
    `files: [${schemaTypes.file}!]!`,
    `mistakes: [${schemaTypes.mistake}!]!`,
    described('Why the server does not serve them.', 'reason: String!'),
  ]),
  block(`type ${schemaTypes.mistake}`, [
    ...place,
    'column: Int!',
    described('How many characters are wrong.', 'length: Int!'),
    'message: String!',
    described('How to fix it.', 'hint: String'),
  ]),
  block(`type ${schemaTypes.use}`, [
    described('`Post`, `Post.title` or `Query.topAuthors`.', 'path: String!'),
    described('Its `x-client-name`, or a short form of its `user-agent`.', 'client: String!'),
    described('The last day on which it named the path.', 'requested: String'),
    described('The last day on which a default representation gave it the path.', 'returned: String'),
    described('The last day on which it used the path over REST, as far as that was counted.', 'rest: String'),
    described('The same over GraphQL.', 'graphql: String'),
  ]),
  described(
    'What a changed schema file would change.',
    block(`type ${schemaTypes.changes}`, [
      described(
        '`same`, `additive`, `warning`, `breaking`, or `mistaken` if the text has mistakes.',
        'verdict: String!',
      ),
      `differences: [${schemaTypes.change}!]!`,
      `mistakes: [${schemaTypes.mistake}!]!`,
    ]),
  ),
  block(`type ${schemaTypes.change}`, [
    described('`additive`, `warning` or `breaking`.', 'verdict: String!'),
    'path: String!',
    'message: String!',
    described('`nobody`, `readers`, `writers`, `clients`, or `viewers` who had a permission.', 'affects: String!'),
    described('How to avoid the problem.', 'instead: String'),
    described(
      'What it means for rows: `stay`, `dropped`, or what must be true of them: `none`, `filled`, `unique`, `unused`.',
      'rows: String!',
    ),
    described('Who used it last.', 'used: String'),
    ...place,
    'column: Int!',
  ]),
]

export const schemaRootFields: readonly string[] = [
  described(
    'The schema that the service serves. For the role admin.',
    `${schemaFields.served}: ${schemaTypes.served}!`,
  ),
  described(
    'Compares a changed schema file with the served one. Nothing is stored or served. For the role admin.',
    `${schemaFields.changes}(${[
      described('The changed file, or a whole schema.', 'text: String!'),
      described('The file that it replaces; default: all.', 'file: String'),
    ].join('\n')}): ${schemaTypes.changes}!`,
  ),
]
