// Random edits of a contract, most of which add to it and some of which break it: which is which the judge has to say
// (`compareModels`). A rename is a rename with `@was`, and whatever else names the thing is changed along.

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
import type { Draw } from '../generate/draw.ts'

export interface Edited {
  sdl: string
  /** What was done, for who reads a failure. */
  told: string[]
}

export function editContract(draw: Draw, sdl: string, most: number): Edited {
  const contract = new Contract(sdl)
  const told = draw.many(1, most, (index) => {
    // Renames touch most of the server, so that each contract has one.
    const [name, edit] = draw.one(index === 0 ? renames : all)
    return `${name} ${edit(contract, draw, index) ?? 'nothing'}`
  })
  return { sdl: contract.sdl, told }
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

  replace(former: DefinitionNode, now: DefinitionNode): void {
    this.definitions = this.definitions.map((one) => (one === former ? now : one))
  }

  addField(type: ObjectTypeDefinitionNode, text: string): void {
    const [holder] = parse(`type T { ${text} }`, { noLocation: true }).definitions as [ObjectTypeDefinitionNode]
    this.replace(type, { ...type, fields: [...(type.fields ?? []), ...(holder.fields ?? [])] })
  }

  /** Null takes it away. */
  changeField(type: ObjectTypeDefinitionNode, field: FieldDefinitionNode, now: FieldDefinitionNode | null): void {
    const fields = (type.fields ?? []).flatMap((one) => (one === field ? (now ?? []) : one))
    this.replace(type, { ...type, fields })
  }

  /** Every field that says with which of another type's it is one relation. */
  renameInverse(type: string, former: string, now: string): void {
    this.#visitFields((field) => {
      if (namedType(field) !== type) return field
      const directives = (field.directives ?? []).map((one) =>
        one.name.value === 'relation' && print(one).includes(`"${former}"`)
          ? directive(`@relation(inverse: "${now}")`)
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

  renameType(former: string, now: string): void {
    this.definitions = this.definitions.map((node) => {
      const used = visit(node, {
        NamedType: (one) => (one.name.value === former ? { ...one, name: { ...one.name, value: now } } : undefined),
      })
      if (!('name' in used) || used.name?.value !== former || !('directives' in used)) return used
      const directives = [...(used.directives ?? []), directive(`@was(name: "${former}")`)]
      return { ...used, name: { ...used.name, value: now }, directives } as DefinitionNode
    })
  }
}

type Edit = (contract: Contract, draw: Draw, index: number) => string | undefined

const edits: Record<string, Edit> = {
  'an optional field': (contract, draw, index) => {
    const type = draw.one(contract.objects)
    contract.addField(type, `more${index}: ${draw.one(['Int', 'String', 'Boolean', '[Int!]', 'JSON', 'Mood'])}`)
    return type.name.value
  },
  'a required field with a default': (contract, draw, index) => {
    const type = draw.one(contract.resources)
    contract.addField(
      type,
      `more${index}: ${draw.one(['Int! @default(value: 7)', 'String! @default(value: "x") @index'])}`,
    )
    return type.name.value
  },
  'a type that refers to another': (contract, draw, index) => {
    const type = draw.one(contract.resources)
    const { value } = type.name
    contract.add(`type Fresh${index} { id: ID! name: String of: ${value} }`)
    if (draw.flip()) contract.addField(type, `freshes${index}: [Fresh${index}!]! @relation(inverse: "of")`)
    return value
  },
  'a union': (contract, _draw, index) => {
    contract.add(`union Any${index} = ${contract.resources.map(({ name }) => name.value).join(' | ')}`)
    return ''
  },
  'a value of an enum': (contract, draw, index) => {
    const type = draw.one(contract.enums)
    const [added] = parse(`enum E { MORE_${index} }`, { noLocation: true }).definitions as [EnumTypeDefinitionNode]
    contract.replace(type, { ...type, values: [...(type.values ?? []), ...(added.values ?? [])] })
    return type.name.value
  },
  'an index': (contract, draw) => mark(contract, draw, '@index', isComparable),
  'a deprecation': (contract, draw) => mark(contract, draw, '@deprecated', () => true),
  'another path': (contract, draw, index) => {
    const type = draw.one(contract.resources)
    if ((type.directives ?? []).length > 0) return undefined
    const path = `${type.name.value.toLowerCase()}s`
    const moved = directive(`@resource(path: "moved-${index}", was: ["${path}"])`)
    contract.replace(type, { ...type, directives: [moved] })
    return path
  },
  'another name of a field of rows': (contract, draw, index) => {
    const resources = new Set(contract.resources)
    return renameField(contract, draw, index, ([type]) => resources.has(type))
  },
  'another name of a field of a value': (contract, draw, index) => {
    const resources = new Set(contract.resources)
    return renameField(contract, draw, index, ([type]) => !resources.has(type))
  },
  'another name of a type': (contract, draw, index) => {
    const type = draw.one([...contract.objects, ...contract.enums])
    const former = type.name.value
    if (hasWas(type) || former.startsWith('Fresh')) return undefined
    contract.renameType(former, `${former}Now${index}`)
    return former
  },
  'another name of a value of an enum': (contract, draw, index) => {
    const type = draw.one(contract.enums)
    const value = draw.one(type.values ?? [])
    if (hasWas(value)) return undefined
    const directives = [...(value.directives ?? []), directive(`@was(name: "${value.name.value}")`)]
    const now = { ...value, name: { ...value.name, value: `${value.name.value}_NOW_${index}` }, directives }
    contract.replace(type, { ...type, values: (type.values ?? []).map((one) => (one === value ? now : one)) })
    return value.name.value
  },
  // ---------------------------------------------------------------- what the judge should know as breaking
  'a field less': (contract, draw) => {
    const [type, field] = draw.one(contract.fields)
    contract.changeField(type, field, null)
    return `${type.name.value}.${field.name.value}`
  },
  'another need': (contract, draw) => {
    const [type, field] = draw.one(contract.fields)
    const now =
      field.type.kind === Kind.NON_NULL_TYPE
        ? field.type.type
        : ({ kind: Kind.NON_NULL_TYPE, type: field.type } as const)
    contract.changeField(type, field, { ...field, type: now })
    return `${type.name.value}.${field.name.value}`
  },
  'a narrower field': (contract, draw) => {
    const narrow = draw.one(['@unique', '@immutable', '@constraint(maxLength: 3)'])
    return mark(contract, draw, narrow, (field) => namedType(field) === 'String' && isComparable(field))
  },
}

const all = Object.entries(edits)
const renames = all.filter(([name]) => name.startsWith('another name'))

function renameField(
  contract: Contract,
  draw: Draw,
  index: number,
  fits: (field: [ObjectTypeDefinitionNode, FieldDefinitionNode]) => boolean,
): string | undefined {
  const fitting = contract.fields.filter((one) => fits(one) && !hasWas(one[1]))
  if (fitting.length === 0) return undefined
  const [type, field] = draw.one(fitting)
  const former = field.name.value
  const now = `${former}Now${index}`
  const directives = [...(field.directives ?? []), directive(`@was(name: "${former}")`)]
  contract.changeField(type, field, { ...field, name: { ...field.name, value: now }, directives })
  contract.renameInverse(type.name.value, former, now)
  return `${type.name.value}.${former}`
}

function mark(
  contract: Contract,
  draw: Draw,
  text: string,
  fits: (field: FieldDefinitionNode) => boolean,
): string | undefined {
  const resources = new Set(contract.resources)
  const name = /^@(\w+)/.exec(text)![1]
  const fitting = contract.fields.filter(
    ([type, field]) =>
      resources.has(type) && fits(field) && !(field.directives ?? []).some((one) => one.name.value === name),
  )
  if (fitting.length === 0) return undefined
  const [type, field] = draw.one(fitting)
  contract.changeField(type, field, { ...field, directives: [...(field.directives ?? []), directive(text)] })
  return `${type.name.value}.${field.name.value}`
}

/** A column of a plain scalar. */
function isComparable(field: FieldDefinitionNode): boolean {
  return /^(?:Int|Float|String|Boolean|ID|DateTime|Date|Decimal|BigInt)!?$/.test(print(field.type))
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
