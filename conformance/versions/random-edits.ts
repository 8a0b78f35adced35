// Random edits of a schema, most of them additive and some breaking: `compareModels` must classify each. A rename adds `@was`, and updates
// everything that uses the name.

import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql'
import { isScalarName, scalarOf } from '../../packages/twain/src/model/index.ts'
import type { Draw } from '../generate/draw.ts'

export interface Edited {
  sdl: string
  /** The edits, for the message of a failure. */
  edits: string[]
}

export function editSchema(draw: Draw, sdl: string, maxEdits: number): Edited {
  const schema = new Contract(sdl)
  const made = draw.many(1, maxEdits, (index) => {
    // Renames affect most of the server, so each schema has one.
    const [name, edit] = draw.one(index === 0 ? renames : all)
    return `${name} ${edit(schema, draw, index) ?? 'nothing'}`
  })
  return { sdl: schema.sdl, edits: made }
}

class Contract {
  definitions: readonly DefinitionNode[]

  constructor(sdl: string) {
    this.definitions = parse(sdl, { noLocation: true }).definitions
  }

  get sdl(): string {
    return print({ kind: Kind.DOCUMENT, definitions: this.definitions })
  }

  get objects(): ObjectTypeDefinitionNode[] {
    return this.definitions.filter((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION)
  }

  /** Types with rows. */
  get resources(): ObjectTypeDefinitionNode[] {
    return this.objects.filter(({ fields = [] }) => fields.some(({ name }) => name.value === 'id'))
  }

  get enums(): EnumTypeDefinitionNode[] {
    return this.definitions.filter((node) => node.kind === Kind.ENUM_TYPE_DEFINITION)
  }

  /** Fields that no interface declares, with their types. */
  get fields(): [ObjectTypeDefinitionNode, FieldDefinitionNode][] {
    const shared = this.definitions.flatMap((node) =>
      node.kind === Kind.INTERFACE_TYPE_DEFINITION ? (node.fields ?? []).map(({ name }) => name.value) : ['id'],
    )
    return this.objects.flatMap((type) =>
      (type.fields ?? []).flatMap((field): [ObjectTypeDefinitionNode, FieldDefinitionNode][] =>
        shared.includes(field.name.value) ? [] : [[type, field]],
      ),
    )
  }

  add(text: string): void {
    this.definitions = [...this.definitions, ...parse(text, { noLocation: true }).definitions]
  }

  replace(before: DefinitionNode, after: DefinitionNode): void {
    this.definitions = this.definitions.map((one) => (one === before ? after : one))
  }

  addField(type: ObjectTypeDefinitionNode, text: string): void {
    const [holder] = parse(`type T { ${text} }`, { noLocation: true }).definitions as [ObjectTypeDefinitionNode]
    this.replace(type, { ...type, fields: [...(type.fields ?? []), ...(holder.fields ?? [])] })
  }

  /** Null removes it. */
  changeField(type: ObjectTypeDefinitionNode, field: FieldDefinitionNode, after: FieldDefinitionNode | null): void {
    const fields = (type.fields ?? []).flatMap((one) => (one === field ? (after ?? []) : one))
    this.replace(type, { ...type, fields })
  }

  /** Every field that names its inverse. */
  renameInverse(type: string, before: string, after: string): void {
    this.#visitFields((field) => {
      if (namedType(field) !== type) return field
      const directives = (field.directives ?? []).map((one) =>
        one.name.value === 'relation' && print(one).includes(`"${before}"`)
          ? directive(`@relation(inverse: "${after}")`)
          : one,
      )
      return { ...field, directives }
    })
  }

  #visitFields(change: (field: FieldDefinitionNode) => FieldDefinitionNode): void {
    this.definitions = this.definitions.map((node) =>
      node.kind === Kind.OBJECT_TYPE_DEFINITION ? { ...node, fields: (node.fields ?? []).map(change) } : node,
    )
  }

  renameType(before: string, after: string): void {
    this.definitions = this.definitions.map((node) => {
      const used = visit(node, {
        NamedType: (one) => (one.name.value === before ? { ...one, name: { ...one.name, value: after } } : undefined),
      })
      if (!('name' in used) || used.name?.value !== before || !('directives' in used)) return used
      const directives = [...(used.directives ?? []), directive(`@was(name: "${before}")`)]
      return { ...used, name: { ...used.name, value: after }, directives } as DefinitionNode
    })
  }
}

type Edit = (schema: Contract, draw: Draw, index: number) => string | undefined

const edits: Record<string, Edit> = {
  'an optional field': (schema, draw, index) => {
    const type = draw.one(schema.objects)
    schema.addField(type, `more${index}: ${draw.one(['Int', 'String', 'Boolean', '[Int!]', 'JSON', 'Mood'])}`)
    return type.name.value
  },
  'a required field with a default': (schema, draw, index) => {
    const type = draw.one(schema.resources)
    schema.addField(
      type,
      `more${index}: ${draw.one(['Int! @default(value: 7)', 'String! @default(value: "x") @index'])}`,
    )
    return type.name.value
  },
  'a type that refers to another': (schema, draw, index) => {
    const type = draw.one(schema.resources)
    const { value } = type.name
    schema.add(`type Fresh${index} { id: ID! name: String of: ${value} }`)
    if (draw.flip()) schema.addField(type, `freshes${index}: [Fresh${index}!]! @relation(inverse: "of")`)
    return value
  },
  'a union': (schema, _draw, index) => {
    schema.add(`union Any${index} = ${schema.resources.map(({ name }) => name.value).join(' | ')}`)
    return ''
  },
  'a value of an enum': (schema, draw, index) => {
    const type = draw.one(schema.enums)
    const [added] = parse(`enum E { MORE_${index} }`, { noLocation: true }).definitions as [EnumTypeDefinitionNode]
    schema.replace(type, { ...type, values: [...(type.values ?? []), ...(added.values ?? [])] })
    return type.name.value
  },
  'an index': (schema, draw) => mark(schema, draw, '@index', isComparable),
  'a deprecation': (schema, draw) => mark(schema, draw, '@deprecated', () => true),
  'another path': (schema, draw, index) => {
    const type = draw.one(schema.resources)
    if ((type.directives ?? []).length > 0) return undefined
    const path = `${type.name.value.toLowerCase()}s`
    const moved = directive(`@resource(path: "moved-${index}", was: ["${path}"])`)
    schema.replace(type, { ...type, directives: [moved] })
    return path
  },
  'another name of a field of rows': (schema, draw, index) => {
    const resources = new Set(schema.resources)
    return renameField(schema, draw, index, ([type]) => resources.has(type))
  },
  'another name of a field of a value': (schema, draw, index) => {
    const resources = new Set(schema.resources)
    return renameField(schema, draw, index, ([type]) => !resources.has(type))
  },
  'another name of a type': (schema, draw, index) => {
    const type = draw.one([...schema.objects, ...schema.enums])
    const before = type.name.value
    if (hasWas(type) || before.startsWith('Fresh')) return undefined
    schema.renameType(before, `${before}Now${index}`)
    return before
  },
  'another name of a value of an enum': (schema, draw, index) => {
    const type = draw.one(schema.enums)
    const value = draw.one(type.values ?? [])
    if (hasWas(value)) return undefined
    const directives = [...(value.directives ?? []), directive(`@was(name: "${value.name.value}")`)]
    const after = { ...value, name: { ...value.name, value: `${value.name.value}_NOW_${index}` }, directives }
    schema.replace(type, { ...type, values: (type.values ?? []).map((one) => (one === value ? after : one)) })
    return value.name.value
  },
  // ---------------------------------------------------------------- breaking edits
  'a field less': (schema, draw) => {
    const [type, field] = draw.one(schema.fields)
    schema.changeField(type, field, null)
    return `${type.name.value}.${field.name.value}`
  },
  'another need': (schema, draw) => {
    const [type, field] = draw.one(schema.fields)
    const after =
      field.type.kind === Kind.NON_NULL_TYPE
        ? field.type.type
        : ({ kind: Kind.NON_NULL_TYPE, type: field.type } as const)
    schema.changeField(type, field, { ...field, type: after })
    return `${type.name.value}.${field.name.value}`
  },
  'a narrower field': (schema, draw) => {
    const narrow = draw.one(['@unique', '@immutable', '@constraint(maxLength: 3)'])
    return mark(schema, draw, narrow, (field) => namedType(field) === 'String' && isComparable(field))
  },
}

const all = Object.entries(edits)
const renames = all.filter(([name]) => name.startsWith('another name'))

function renameField(
  schema: Contract,
  draw: Draw,
  index: number,
  fits: (field: [ObjectTypeDefinitionNode, FieldDefinitionNode]) => boolean,
): string | undefined {
  const fitting = schema.fields.filter((one) => fits(one) && !hasWas(one[1]))
  if (fitting.length === 0) return undefined
  const [type, field] = draw.one(fitting)
  const before = field.name.value
  const after = `${before}Now${index}`
  const directives = [...(field.directives ?? []), directive(`@was(name: "${before}")`)]
  schema.changeField(type, field, { ...field, name: { ...field.name, value: after }, directives })
  schema.renameInverse(type.name.value, before, after)
  return `${type.name.value}.${before}`
}

function mark(
  schema: Contract,
  draw: Draw,
  text: string,
  fits: (field: FieldDefinitionNode) => boolean,
): string | undefined {
  const resources = new Set(schema.resources)
  const name = /^@(\w+)/.exec(text)![1]
  const fitting = schema.fields.filter(
    ([type, field]) =>
      resources.has(type) && fits(field) && !(field.directives ?? []).some((one) => one.name.value === name),
  )
  if (fitting.length === 0) return undefined
  const [type, field] = draw.one(fitting)
  schema.changeField(type, field, { ...field, directives: [...(field.directives ?? []), directive(text)] })
  return `${type.name.value}.${field.name.value}`
}

/** A column of a plain scalar. */
function isComparable(field: FieldDefinitionNode): boolean {
  const name = print(field.type).replace(/!$/, '')
  return isScalarName(name) && scalarOf(name).comparison !== 'none'
}

function namedType(field: FieldDefinitionNode): string {
  return print(field.type).replaceAll(/[[\]!]/g, '')
}

function directive(text: string): ConstDirectiveNode {
  const [holder] = parse(`type T ${text} { id: ID }`, { noLocation: true }).definitions as [ObjectTypeDefinitionNode]
  return holder.directives![0]!
}

function hasWas({ directives = [] }: { directives?: readonly ConstDirectiveNode[] | undefined }): boolean {
  return directives.some(({ name }) => name.value === 'was')
}
