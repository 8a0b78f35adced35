// The part `Resources and their fields` of the API contract, with its types and addresses.

import { unreachable } from '#base'
import {
  type Abstract,
  type AnyField,
  type Constraint,
  type Model,
  type ReferenceField,
  type Resource,
  scalarNames,
  scalarOf,
  type ValueField,
} from '#model'
import { kebabCase, printCustomType, printType } from '#model/names'
import { code, inline, table } from './markdown.ts'

export function resourcesPart(model: Model): string {
  const { resources, views, abstracts, values, inputs, enums, scalars, file } = model
  return [
    ...resources.map(resourceText),
    ...views.map(resourceText),
    ...abstracts.map(abstractText),
    ...values.map((value) => valueText('Value', value)),
    ...inputs.map((value) => valueText('Input', value)),
    ...enums.map(
      ({ name, description, values: list }) =>
        `**Enum ${name}**${after(description)}\n\n${table(
          ['Value', 'Notes'],
          list.map((value) => [code(value.name), notes(value.description, value.deprecated)]),
        )}`,
    ),
    ...scalars.map(({ name, description }) => `**Scalar ${name}** (any JSON)${after(description)}\n`),
    ...(file === null ? [] : [`**File**: an uploaded file: \`id url name mediaType size\`; \`/files\`.\n`]),
    '### 2.1 Resource addressing shape (REST)\n',
    addresses(model),
    '### 2.2 GraphQL type system\n',
    typeSystem(model),
  ].join('\n')
}

function resourceText(resource: Resource): string {
  const { name, path, description, fields, computed, previousPaths } = resource
  const previous =
    previousPaths.length === 0 ? '' : `; previously ${previousPaths.map((one) => `\`/${one}\``).join(', ')}`
  const rows = [...fields.values(), ...computed.values()].map((field) => [
    code(field.name),
    code(typeOf(field)),
    presence(field),
    notes(description === field.description ? null : field.description, field.deprecated, ...marksOf(field, resource)),
  ])
  return `**${name}** (\`/${path}\`${previous})${after(description)}\n\n${table(['Field', 'Type', 'Presence', 'Notes'], rows)}`
}

function abstractText({ name, form, path, members, fields, description }: Abstract): string {
  const shared = [...fields.keys()].map(code).join(', ')
  const of = members.map((member) => member.name).join(', ')
  return `**${form === 'interface' ? 'Interface' : 'Union'} ${name}** (\`/${path}\`, read-only): ${of}; common fields: ${shared}${after(description)}\n`
}

function valueText(kind: string, { name, description, fields }: Model['values'][number]): string {
  const rows = [...fields.values()].map((field) => [
    code(field.name),
    code(`${printType(field.type)}${field.required ? '!' : ''}`),
    field.required ? 'required' : 'optional',
    notes(field.description, field.deprecated, ...insideMarks(field)),
  ])
  return `**${kind} ${name}** (${kind === 'Value' ? 'stored in its row' : 'an argument of custom operations'})${after(description)}\n\n${table(['Field', 'Type', 'Presence', 'Notes'], rows)}`
}

function after(description: string | null): string {
  return description === null ? '' : `: ${inline(description)}`
}

function typeOf(field: AnyField): string {
  const mark = field.required ? '!' : ''
  switch (field.kind) {
    case 'stored':
      return `${printType(field.type)}${mark}`
    case 'computed':
      return `${printCustomType(field.type)}${mark}`
    case 'reference':
    case 'inverse':
      return `${field.to.name}${mark}`
    case 'many':
    case 'links':
      return `[${field.to.name}!]!`
    default:
      return unreachable(field)
  }
}

function presence(field: AnyField): string {
  switch (field.kind) {
    case 'computed':
      return 'computed, read-only'
    case 'inverse':
    case 'many':
      return 'read-only'
    case 'links':
      return 'optional'
    case 'stored':
    case 'reference': {
      if (field.name === 'id') return 'set by the server'
      if (field.auto !== null) return 'set by the server'
      const hasDefault =
        field.default !== undefined ||
        field.defaultClaim !== undefined ||
        (field.kind === 'reference' && field.defaultsToViewer)
      return field.required && !hasDefault ? 'required' : 'optional'
    }
    default:
      return unreachable(field)
  }
}

/** Clients can't delete files. */
function isFile({ to }: ReferenceField): boolean {
  return to.name === 'File'
}

function marksOf(field: AnyField, { indexes }: Resource): string[] {
  const marks: string[] = []
  if (field.kind === 'stored' || field.kind === 'reference') {
    if (field.auto !== null) marks.push(autos[field.auto])
    if (field.default !== undefined) marks.push(`default \`${JSON.stringify(field.default)}\``)
    if (field.kind === 'reference' && field.defaultsToViewer) marks.push('default: the viewer')
    if (field.defaultClaim !== undefined) marks.push(`default: the claim ${code(field.defaultClaim)} of the token`)
    if (field.immutable) marks.push('immutable after the create')
    const unique = indexes.filter((index) => index.unique && index.fields[0] === field)
    for (const { fields } of unique) {
      const [, ...others] = fields.map(({ name }) => code(name))
      marks.push(others.length === 0 ? 'unique' : `unique together with ${others.join(', ')}`)
    }
  }
  if (field.kind === 'stored') marks.push(...printConstraint(field.constraint), ...(field.search ? ['searched'] : []))
  if (field.kind === 'reference')
    marks.push(isFile(field) ? 'kept as long as the row refers to it' : onDelete[field.onDelete])
  if (field.kind === 'links') marks.push('many-to-many')
  if (field.kind === 'many' || field.kind === 'inverse')
    marks.push(`the other side of \`${field.via.owner.name}.${field.via.name}\``)
  if (field.kind === 'computed' && field.args.length > 0) {
    marks.push(`arguments ${field.args.map(({ name, type }) => code(`${name}: ${printType(type)}`)).join(', ')}`)
  }
  return marks
}

const autos = {
  CREATE_TIME: 'the time of the create',
  UPDATE_TIME: 'the time of the last change',
  VERIFY_TIME: 'only where `fields` names it',
  LOCK_TIME: 'only where `fields` names it',
  VIEWER: 'the account that creates the row',
  SERVER: 'set by the server',
} as const

const onDelete = {
  RESTRICT: 'the referenced row cannot be deleted (409)',
  CASCADE: 'deleted with the referenced row',
  SET_NULL: 'null after the referenced row is deleted',
} as const

function insideMarks({ constraint, default: fallback }: ValueField): string[] {
  return [
    ...printConstraint(constraint),
    ...(fallback === undefined ? [] : [`default \`${JSON.stringify(fallback)}\``]),
  ]
}

function printConstraint(constraint: Constraint | null): string[] {
  return Object.entries(constraint ?? {}).map(([name, value]) => `${name} \`${value}\``)
}

function notes(description: string | null, deprecated: string | null, ...marks: string[]): string {
  const sentence = inline(description).replace(/\.$/, '')
  const old = deprecated === null ? [] : [`deprecated: ${inline(deprecated)}`]
  return [...(sentence === '' ? [] : [sentence]), ...marks, ...old].join('; ')
}

function addresses({ resources, abstracts }: Model): string {
  const nested = resources.flatMap((resource) =>
    [...resource.fields.values()]
      .filter((field) => field.kind === 'many' || field.kind === 'links')
      .map((field) => `\`/${resource.path}/{id}/${kebabCase(field.name)}\``),
  )
  const paths = [...resources, ...abstracts].map(({ path }) => `\`/${path}\``)
  return table(
    ['Kind', 'Path shape', 'Here'],
    [
      ['Collection', '`/<collection>`', paths.join(', ')],
      ['Single item', '`/<collection>/<id>`', resources.map(({ path }) => `\`/${path}/{id}\``).join(', ')],
      ['Nested collection of an item', '`/<collection>/<id>/<subcollection>`', nested.join(', ') || 'none'],
    ],
  )
}

const idRule = 'UUIDv7 from the server; with `PUT` the client may choose an id: `[A-Za-z0-9_-]{1,64}`'

function typeSystem({ resources, values, inputs, enums, abstracts, scalars, file }: Model): string {
  const listed = (names: readonly { name: string }[]) => names.map(({ name }) => code(name)).join(', ') || 'none'
  return table(
    ['Construct', 'Rule', 'Here'],
    [
      ...scalarNames.map((name) => [name, scalarOf(name).summary, name === 'ID' ? idRule : '']),
      ['Upload', 'a file of a multipart request, written `Upload!`', file === null ? 'not used' : '`uploadFile`'],
      ['Custom scalars', 'any JSON', listed(scalars)],
      ['Object type', 'named type with typed fields', listed([...resources, ...values])],
      [
        'Input type',
        'named type of arguments',
        `one for each create, update and filter${inputs.length === 0 ? '' : `; ${listed(inputs)}`}`,
      ],
      ['Enum', 'closed set of values', listed(enums)],
      ['Interface', 'fields that types implement', listed(abstracts.filter(({ form }) => form === 'interface'))],
      ['Union', 'one of several types', listed(abstracts.filter(({ form }) => form === 'union'))],
      ['Non-null marker', 'a trailing `!`: the value is required', ''],
      ['List', 'square brackets: `[Post!]!` is a required list of required items', ''],
    ],
  )
}
